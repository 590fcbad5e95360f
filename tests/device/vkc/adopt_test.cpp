// vkc on a VkDevice that plain Vulkan made, and that goes on when vkc has gone.
#include <vkc/native.h>

#include <array>
#include <atomic>

#include "test_device.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::Each;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc_test::error_of;

class AdoptTest : public vkc_test::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!device_) return;
    physical_ = vkc::native_handle(physical_device());
    family_ = vkc::native_queue_family(device());
    make_device();
  }
  void TearDown() override {
    // The validation layer tells of everything that vkc left behind.
    if (made_ != VK_NULL_HANDLE) function<PFN_vkDestroyDevice>("vkDestroyDevice")(made_, nullptr);
    DeviceTest::TearDown();
  }

  template <typename Function>
  [[nodiscard]] static Function function(const char* name) {
    const auto get = vkc::native_get_instance_proc_addr(instance());
    return reinterpret_cast<Function>(get(vkc::native_handle(instance()), name));
  }

  // As a host program would: no features, no extensions.
  void make_device() {
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{
        VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family_, 1, &priority};
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    ASSERT_EQ(function<PFN_vkCreateDevice>("vkCreateDevice")(physical_, &info, nullptr, &made_), VK_SUCCESS);
    function<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(made_, family_, 0, &queue_);
  }

  [[nodiscard]] vkc::NativeInstance native_instance() const {
    return {.instance = vkc::native_handle(instance()),
            .get_instance_proc_addr = vkc::native_get_instance_proc_addr(instance()),
            .api_version = VK_API_VERSION_1_1,
            .debug_utils = validation()};
  }
  [[nodiscard]] vkc::NativeDevice native_device() const {
    return {.physical_device = physical_, .device = made_, .queue = queue_, .queue_family = family_};
  }

  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice made_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
};

TEST_P(AdoptTest, KernelsRunOnTheDeviceOfAnother) {
  std::atomic<int> locked = 0, unlocked = 0;
  {
    const auto adopted = vkc::adopt(native_instance());
    ASSERT_TRUE(adopted) << adopted.error().message;
    vkc::NativeDevice native = native_device();
    native.lock_queue = [&] { ++locked; };
    native.unlock_queue = [&] { ++unlocked; };
    const auto on = vkc::adopt(*adopted, native);
    ASSERT_TRUE(on) << on.error().message;
    EXPECT_EQ(vkc::native_handle(*on), made_);
    EXPECT_EQ(vkc::native_queue(*on), queue_);
    EXPECT_FALSE(on->has_transfer_queue());
    const auto kernel = vkc::Kernel::create(*on, kernels::add_one, {}, vkc::KernelGroupSize{8});
    const auto values = vkc::Buffer::create(*on, 256, vkc::MemoryKind::device, "adopted");
    ASSERT_TRUE(kernel && values && vkc::upload(*on, *values, std::vector<std::uint32_t>(64, 1)));
    auto commands = vkc::Commands::create(*on);
    ASSERT_TRUE(kernel->dispatch(*commands, {8}, {{"values", *values}}));
    const auto submission = commands->submit();
    ASSERT_TRUE(submission && submission->wait());
    EXPECT_THAT(vkc::download<std::uint32_t>(*on, *values).value(), Each(2U));
    EXPECT_TRUE(on->wait_idle());
    EXPECT_GE(locked, 2);
    EXPECT_EQ(locked, unlocked);
  }
  EXPECT_EQ(function<PFN_vkQueueWaitIdle>("vkQueueWaitIdle")(queue_), VK_SUCCESS);
}

TEST_P(AdoptTest, FeaturesThatWereNotEnabledAreAbsent) {
  const auto adopted = vkc::adopt(native_instance());
  ASSERT_TRUE(adopted);
  const auto on = vkc::adopt(*adopted, native_device());
  ASSERT_TRUE(on) << on.error().message;
  EXPECT_FALSE(on->properties().features.fp16_arithmetic);
  EXPECT_THAT(error_of(vkc::Kernel::create(*on, kernels::half_storage), ErrorCode::not_supported),
              HasSubstr("which the device lacks"));
}

TEST_P(AdoptTest, WhatCannotBeAdoptedIsNamed) {
  const auto instance_error = [&](auto change, ErrorCode code) {
    vkc::NativeInstance native = native_instance();
    change(native);
    return error_of(vkc::adopt(native), code);
  };
  EXPECT_THAT(instance_error([](auto& n) { n.instance = VK_NULL_HANDLE; }, ErrorCode::invalid_argument),
              HasSubstr("is null"));
  EXPECT_THAT(
      instance_error([](auto& n) { n.get_instance_proc_addr = nullptr; }, ErrorCode::invalid_argument),
      HasSubstr("is null"));
  EXPECT_THAT(instance_error([](auto& n) { n.api_version = VK_API_VERSION_1_0; }, ErrorCode::not_supported),
              HasSubstr("made for Vulkan 1.0.0"));

  const auto adopted = vkc::adopt(native_instance());
  ASSERT_TRUE(adopted);
  const auto device_error = [&](auto change) {
    vkc::NativeDevice native = native_device();
    change(native);
    return error_of(vkc::adopt(*adopted, native), ErrorCode::invalid_argument);
  };
  EXPECT_THAT(device_error([](auto& n) { n.physical_device = VK_NULL_HANDLE; }),
              HasSubstr("physical_device is null"));
  EXPECT_THAT(device_error([](auto& n) { n.device = VK_NULL_HANDLE; }), HasSubstr("device is null"));
  EXPECT_THAT(device_error([](auto& n) { n.queue = VK_NULL_HANDLE; }), HasSubstr("queue is null"));
  EXPECT_THAT(device_error([](auto& n) { n.queue_family = 999; }), HasSubstr("queue family 999: there are"));
  const std::array<const char*, 2> extensions = {"VK_KHR_spirv_1_4", nullptr};
  EXPECT_THAT(device_error([&](auto& n) { n.extensions = extensions; }), HasSubstr("extensions[1] is null"));
  if (!physical_device().properties().features.cooperative_matrix) {
    EXPECT_THAT(device_error([](auto& n) { n.features.cooperative_matrix = true; }),
                HasSubstr("it does not have the feature cooperative_matrix"));
  }
}

VKC_DEVICE_TESTS(AdoptTest);

}  // namespace
