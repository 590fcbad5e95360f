// A machine without any Vulkan driver; the test's environment makes it so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vkc/vkc.h>

namespace {

TEST(NoDriver, IsAClearErrorAndNoCrash) {
  for (int round = 0; round < 3; ++round) {
    const auto instance = vkc::Instance::create();
    if (!instance) {
      EXPECT_EQ(instance.error().code, vkc::ErrorCode::no_vulkan) << instance.error().message;
      EXPECT_THAT(instance.error().message, testing::HasSubstr("install"));
      continue;
    }
    const auto devices = instance->physical_devices();
    ASSERT_TRUE(devices) << devices.error().message;
    EXPECT_TRUE(devices->empty());
    const auto device = vkc::Device::open(vkc::best_device(*instance, {.allow_software = true}));
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, vkc::ErrorCode::no_device);
    EXPECT_THAT(device.error().text(), testing::HasSubstr("driver"));
  }
}

}  // namespace
