#include "vkc/matrix_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vkc::detail {
namespace {

using Properties = VkCooperativeMatrixPropertiesKHR;

Properties half_matrices(std::uint32_t edge) {
  auto properties = vk_struct<Properties>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
  properties.MSize = properties.NSize = properties.KSize = edge;
  properties.CType = properties.ResultType = static_cast<VkComponentTypeKHR>(1);
  properties.scope = VK_SCOPE_SUBGROUP_KHR;
  return properties;
}

TEST(MatrixShapes, AreToldInOurWords) {
  Properties properties = half_matrices(16);
  properties.NSize = 8;
  properties.KSize = 32;
  properties.AType = static_cast<VkComponentTypeKHR>(1000141000);
  properties.BType = static_cast<VkComponentTypeKHR>(10);
  const auto shape = matrix_shape(properties);
  ASSERT_TRUE(shape);
  EXPECT_EQ(to_text(*shape), "16x8x32 bf16,u64,f32->f32");
  EXPECT_EQ(matrix_shape(half_matrices(16)), (MatrixShape{16, 16, 16}));
}

TEST(MatrixShapes, OthersAreLeftOut) {
  const auto refused = [](auto change) {
    Properties properties = half_matrices(16);
    change(properties);
    return !matrix_shape(properties);
  };
  EXPECT_FALSE(refused([](Properties&) {}));
  EXPECT_TRUE(refused([](Properties& p) { p.saturatingAccumulation = VK_TRUE; }));
  EXPECT_TRUE(refused([](Properties& p) { p.scope = static_cast<VkScopeKHR>(2); }));  // of the workgroup
  EXPECT_TRUE(refused([](Properties& p) { p.MSize = 0; }));
  EXPECT_TRUE(refused([](Properties& p) { p.NSize = kMaxMatrixEdge + 1; }));
  EXPECT_TRUE(refused([](Properties& p) { p.KSize = ~0U; }));
  EXPECT_TRUE(refused([](Properties& p) { p.AType = static_cast<VkComponentTypeKHR>(11); }));
  EXPECT_TRUE(refused([](Properties& p) { p.ResultType = static_cast<VkComponentTypeKHR>(-1); }));
}

VkResult VKAPI_PTR claims_billions(VkPhysicalDevice, std::uint32_t* count, Properties* properties) {
  if (properties == nullptr) {
    *count = ~0U;
    return VK_SUCCESS;
  }
  for (std::uint32_t i = 0; i < *count; ++i) properties[i] = half_matrices(i + 1);
  *count = ~0U;  // more than there is room for
  return VK_INCOMPLETE;
}

VkResult VKAPI_PTR tells_twice(VkPhysicalDevice, std::uint32_t* count, Properties* properties) {
  *count = 2;
  if (properties != nullptr) properties[0] = properties[1] = half_matrices(8);
  return VK_SUCCESS;
}

VkResult VKAPI_PTR fails(VkPhysicalDevice, std::uint32_t* count, Properties* properties) {
  *count = 1;
  return properties == nullptr ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

TEST(MatrixShapes, DriversThatMisbehave) {
  InstanceFunctions functions;
  EXPECT_TRUE(read_matrix_shapes(functions, VK_NULL_HANDLE).empty());
  functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR = claims_billions;
  EXPECT_EQ(read_matrix_shapes(functions, VK_NULL_HANDLE).size(), kMaxMatrixShapes);
  functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR = tells_twice;
  EXPECT_EQ(read_matrix_shapes(functions, VK_NULL_HANDLE).size(), 1U);
  functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR = fails;
  EXPECT_TRUE(read_matrix_shapes(functions, VK_NULL_HANDLE).empty());
}

}  // namespace
}  // namespace vkc::detail
