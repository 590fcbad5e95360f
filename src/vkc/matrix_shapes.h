// The shapes of VK_KHR_cooperative_matrix that a device offers.
#pragma once

#include <optional>
#include <vector>

#include <vkc/instance.h>

#include "vkc/functions.h"

namespace vkc::detail {

// More than any driver lists; a faulty one may claim any number.
inline constexpr std::uint32_t kMaxMatrixShapes = 1024;
inline constexpr std::uint32_t kMaxMatrixEdge = 65535;

// What a driver says in our words; empty if it is none that vkc tells of: of another scope, saturating, of
// unknown types or senseless sizes.
std::optional<MatrixShape> matrix_shape(const VkCooperativeMatrixPropertiesKHR& properties);

// Of a device with the extension; empty where the driver fails to tell.
std::vector<MatrixShape> read_matrix_shapes(const InstanceFunctions& functions, VkPhysicalDevice device);

}  // namespace vkc::detail
