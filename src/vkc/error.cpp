#include "vkc/status.h"

namespace vkc {

std::string Error::text() const {
  std::string result = message;
  for (const std::string& reason : reasons) result += "\n  " + reason;
  return result;
}

namespace detail {
namespace {

ErrorCode code_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_TOO_MANY_OBJECTS:
      return ErrorCode::out_of_memory;
    case VK_ERROR_DEVICE_LOST:
      return ErrorCode::device_lost;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return ErrorCode::no_vulkan;
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return ErrorCode::not_supported;
    default:
      return ErrorCode::vulkan;
  }
}

std::string_view advice(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "the machine is out of memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "the device is out of memory: use smaller pieces, or close other programs";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "too many allocations: use fewer, larger buffers";
    case VK_ERROR_DEVICE_LOST:
      return "the device stopped working: a driver fault or work that took too long";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "no Vulkan driver works here";
    default:
      return {};
  }
}

}  // namespace

std::string result_name(VkResult result) {
  switch (result) {
#define VKC_NAME(name) \
  case name:           \
    return #name;
    VKC_NAME(VK_SUCCESS)
    VKC_NAME(VK_NOT_READY)
    VKC_NAME(VK_TIMEOUT)
    VKC_NAME(VK_INCOMPLETE)
    VKC_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    VKC_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    VKC_NAME(VK_ERROR_INITIALIZATION_FAILED)
    VKC_NAME(VK_ERROR_DEVICE_LOST)
    VKC_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    VKC_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    VKC_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    VKC_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    VKC_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    VKC_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    VKC_NAME(VK_ERROR_FORMAT_NOT_SUPPORTED)
    VKC_NAME(VK_ERROR_FRAGMENTED_POOL)
    VKC_NAME(VK_ERROR_UNKNOWN)
    VKC_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    VKC_NAME(VK_ERROR_FRAGMENTATION)
    VKC_NAME(VK_ERROR_INVALID_SHADER_NV)
#undef VKC_NAME
    default:
      return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

Error vulkan_error(VkResult result, std::string_view what) {
  Error error{
      code_of(result), std::string(what) + " failed: " + result_name(result), {}, static_cast<int>(result)};
  if (const std::string_view hint = advice(result); !hint.empty())
    error.message += " (" + std::string(hint) + ")";
  return error;
}

Error limit_error(std::string_view what, std::uint64_t value, std::string_view limit, std::uint64_t maximum) {
  return Error{ErrorCode::limit_exceeded, std::string(what) + " of " + std::to_string(value) +
                                              " is beyond the device's " + std::string(limit) + " of " +
                                              std::to_string(maximum)};
}

std::string in_quotes(std::string_view name) {
  std::string text(1, '"');
  text += name;
  text += '"';
  return text;
}

}  // namespace detail
}  // namespace vkc
