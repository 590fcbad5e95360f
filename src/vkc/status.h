// Making errors.
#pragma once

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

// `"name"`, for messages.
std::string in_quotes(std::string_view name);

}  // namespace vkc::detail
