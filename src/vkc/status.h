// Making errors.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <vkc/error.h>

#include "vkc/vulkan_api.h"

namespace vkc::detail {

inline tl::unexpected<Error> fail(ErrorCode code, std::string message,
                                  std::vector<std::string> reasons = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(reasons)});
}

// Passes the error of one result on as that of another.
template <typename T>
tl::unexpected<Error> propagate(const Result<T>& result) {
  return tl::unexpected<Error>(result.error());
}

// "VK_ERROR_DEVICE_LOST"; the number for values without a name here.
std::string result_name(VkResult result);

// The error for a failed call: "vkAllocateMemory failed: VK_ERROR_OUT_OF_DEVICE_MEMORY (...)". `what`: what
// was being done.
Error vulkan_error(VkResult result, std::string_view what);

// "what of 70000 is beyond the device's max_group_count[0] of 65535"
Error limit_error(std::string_view what, std::uint64_t value, std::string_view limit, std::uint64_t maximum);

// Calls a function of the caller's program, which may throw: then an error that says what was called and what
// it threw.
template <typename Function>
Status call_out(std::string_view what, const Function& function) {
  const auto threw = [&](std::string_view text) {
    return fail(ErrorCode::invalid_argument, std::string(what) + " threw " + std::string(text));
  };
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, std::string(what) + " found no host memory");
  } catch (const std::exception& exception) {
    return threw(std::string("an exception: ") + exception.what());
  } catch (...) {
    return threw("something that is no std::exception");
  }
}

// `"name"`, for messages.
std::string in_quotes(std::string_view name);

// Whether a parameter holds one of the enumeration's values, which begin at 0. Errors: invalid_argument,
// "creating a sampler: filter: 9 is no Filter".
template <typename Enumeration>
Status check_enumerator(std::string_view doing, std::string_view parameter, Enumeration value,
                        Enumeration last, std::string_view type) {
  if (value <= last) return {};
  return fail(ErrorCode::invalid_argument, std::string(doing) + ": " + std::string(parameter) + ": " +
                                               std::to_string(static_cast<unsigned>(value)) + " is no " +
                                               std::string(type));
}

}  // namespace vkc::detail
