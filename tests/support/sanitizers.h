// What the build is instrumented with, for tests of what instrumentation makes impossible.
#pragma once

#if defined(__SANITIZE_ADDRESS__)  // g++
#define UPRES_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define UPRES_ADDRESS_SANITIZER
#endif
#endif

namespace upres::test {

#if defined(UPRES_ADDRESS_SANITIZER)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

}  // namespace upres::test
