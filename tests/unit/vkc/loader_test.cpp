#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vkc/vkc.h>

namespace {

using testing::HasSubstr;

vkc::Error error_with_loader(const std::string& loader) {
  const auto instance = vkc::Instance::create({.loader = loader});
  EXPECT_FALSE(instance);
  return instance ? vkc::Error{} : instance.error();
}

TEST(Loader, IsMissing) {
  const vkc::Error error = error_with_loader("libvkc_no_such_loader.so.1");
  EXPECT_EQ(error.code, vkc::ErrorCode::no_vulkan);
  EXPECT_THAT(error.message, HasSubstr("cannot load the Vulkan loader: libvkc_no_such_loader.so.1"));
  EXPECT_THAT(error.message, HasSubstr("install it"));
}

TEST(Loader, IsAnotherLibrary) {
  const vkc::Error error = error_with_loader("libc.so.6");
  EXPECT_EQ(error.code, vkc::ErrorCode::no_vulkan);
  EXPECT_EQ(error.message, "libc.so.6 is not a Vulkan loader: it has no vkGetInstanceProcAddr");
}

TEST(Loader, OpeningADevicePassesTheErrorOn) {
  const vkc::Result<vkc::PhysicalDevice> none =
      tl::unexpected(vkc::Error{vkc::ErrorCode::no_device, "none", {"a", "b"}});
  const auto device = vkc::Device::open(none);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, vkc::ErrorCode::no_device);
  EXPECT_THAT(device.error().reasons, testing::ElementsAre("a", "b"));
}

}  // namespace
