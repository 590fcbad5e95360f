// What the build is instrumented with, for tests of what instrumentation makes impossible.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // g++
#define UPRES_SANITIZER_ALLOCATES
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UPRES_SANITIZER_ALLOCATES
#endif
#endif

namespace upres::test {

// Whether memory comes from a sanitizer, which ends the process when there is no more.
#if defined(UPRES_SANITIZER_ALLOCATES)
inline constexpr bool kSanitizerAllocates = true;
#else
inline constexpr bool kSanitizerAllocates = false;
#endif

}  // namespace upres::test
