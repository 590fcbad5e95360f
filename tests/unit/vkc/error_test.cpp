#include <gtest/gtest.h>
#include <vkc/vkc.h>

#include "vkc/status.h"

namespace {

using vkc::ErrorCode;

TEST(Error, TextHasReasonsOnLinesOfTheirOwn) {
  const vkc::Error error{ErrorCode::no_device, "no usable Vulkan device", {"A: too old", "B: no queue"}};
  EXPECT_EQ(error.text(), "no usable Vulkan device\n  A: too old\n  B: no queue");
}

TEST(Error, ResultsOfVulkanHaveCodesAndNames) {
  const vkc::Error lost = vkc::detail::vulkan_error(VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
  EXPECT_EQ(lost.code, ErrorCode::device_lost);
  EXPECT_EQ(lost.vk_result, VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(lost.message.find("vkQueueSubmit failed: VK_ERROR_DEVICE_LOST"), 0U);
  EXPECT_EQ(vkc::detail::vulkan_error(VK_ERROR_OUT_OF_DEVICE_MEMORY, "x").code, ErrorCode::out_of_memory);
  EXPECT_EQ(vkc::detail::vulkan_error(VK_ERROR_INCOMPATIBLE_DRIVER, "x").code, ErrorCode::no_vulkan);
  EXPECT_EQ(vkc::detail::vulkan_error(VK_ERROR_EXTENSION_NOT_PRESENT, "x").code, ErrorCode::not_supported);
  EXPECT_EQ(vkc::detail::vulkan_error(VK_ERROR_UNKNOWN, "x").code, ErrorCode::vulkan);
  EXPECT_EQ(vkc::detail::result_name(static_cast<VkResult>(-77)), "VkResult -77");
}

TEST(Error, LimitsNameThemselvesAndTheNumbers) {
  const vkc::Error error = vkc::detail::limit_error("a group", 2048, "max_group_invocations", 1024);
  EXPECT_EQ(error.code, ErrorCode::limit_exceeded);
  EXPECT_EQ(error.message, "a group of 2048 is beyond the device's max_group_invocations of 1024");
}

TEST(GroupCount, RoundsUp) {
  EXPECT_EQ(vkc::group_count({}, {16, 8, 4}), (vkc::GroupCount{1, 1, 1}));
  EXPECT_EQ(vkc::group_count({16, 8, 4}, {16, 8, 4}), (vkc::GroupCount{1, 1, 1}));
  EXPECT_EQ(vkc::group_count({17, 9, 5}, {16, 8, 4}), (vkc::GroupCount{2, 2, 2}));
  EXPECT_EQ(vkc::group_count({0, 1, 1}, {16, 8, 4}), (vkc::GroupCount{0, 1, 1}));
  EXPECT_EQ(vkc::group_count({UINT32_MAX, 1, 1}, {2, 1, 1}), (vkc::GroupCount{0x80000000, 1, 1}));
}

TEST(Text, OfVersionsTypesAndUuids) {
  EXPECT_EQ(vkc::to_text(vkc::Version{1, 3, 239}), "1.3.239");
  EXPECT_EQ(vkc::to_text(vkc::DeviceType::virtual_gpu), "virtual");
  EXPECT_EQ(vkc::to_text(vkc::Uuid{0x01, 0xAB}), "01ab0000000000000000000000000000");
}

}  // namespace
