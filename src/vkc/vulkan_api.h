// The Vulkan headers, without prototypes: every call goes through the function tables below. Also the few
// declarations that Debian 12's headers (1.3.239) are too old for.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#ifndef VK_KHR_cooperative_matrix
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"
struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR =
    static_cast<VkStructureType>(1000506000);
#endif

namespace vkc::detail {

// A Vulkan struct of zeros with its type.
template <typename Struct>
Struct vk_struct(VkStructureType type) {
  Struct result = {};
  result.sType = type;
  return result;
}

}  // namespace vkc::detail
