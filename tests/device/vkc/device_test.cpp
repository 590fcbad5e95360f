#include <vkc/native.h>

#include "test_device.h"
#include "vkc/device_state.h"

namespace {

using testing::HasSubstr;
using vkc_test::error_of;

class DeviceTest : public vkc_test::DeviceTest {};

TEST_P(DeviceTest, TellsItsProperties) {
  const vkc::DeviceProperties& properties = device().properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_NE(properties.uuid, vkc::Uuid{});
  EXPECT_NE(properties.vendor_id, 0U);
  EXPECT_GE(properties.api_version, (vkc::Version{1, 1, 0}));
  // What Vulkan promises at least.
  const vkc::DeviceLimits& limits = properties.limits;
  EXPECT_GE(limits.max_storage_buffer_range_bytes, std::uint64_t{1} << 27);
  EXPECT_GE(limits.max_uniform_buffer_range_bytes, 16384U);
  EXPECT_GE(limits.max_memory_allocation_bytes, std::uint64_t{1} << 30);
  EXPECT_GE(limits.max_buffer_bytes, std::uint64_t{1} << 30);
  EXPECT_GE(limits.max_memory_allocation_count, 4096U);
  EXPECT_GE(limits.max_push_constants_bytes, 128U);
  EXPECT_GE(limits.max_bound_descriptor_sets, 4U);
  EXPECT_GE(limits.max_storage_buffers_per_kernel, 4U);
  EXPECT_GE(limits.max_shared_memory_bytes, 16384U);
  for (const std::uint32_t count : limits.max_group_count) EXPECT_GE(count, 65535U);
  for (const std::uint32_t size : limits.max_group_size) EXPECT_GE(size, 64U);
  EXPECT_GE(limits.max_group_invocations, 128U);
  EXPECT_GE(limits.subgroup_size, 1U);
  EXPECT_LE(limits.min_subgroup_size, limits.max_subgroup_size);
  if (!properties.features.cooperative_matrix) {
    EXPECT_TRUE(properties.matrix_shapes.empty());
  }
  EXPECT_FALSE(properties.heaps.empty());
  for (const vkc::MemoryHeap& heap : device().physical_device().memory_heaps()) {
    EXPECT_GT(heap.size_bytes, 0U);
    EXPECT_EQ(heap.budget_bytes.has_value(), properties.features.memory_budget);
  }
}

TEST_P(DeviceTest, GivesOutNativeHandles) {
  EXPECT_NE(vkc::native_handle(device()), VK_NULL_HANDLE);
  EXPECT_NE(vkc::native_handle(device().physical_device()), VK_NULL_HANDLE);
  EXPECT_NE(vkc::native_queue(device()), VK_NULL_HANDLE);
}

TEST_P(DeviceTest, HandlesMayBeDestroyedInAnyOrder) {
  vkc::Buffer kept = buffer(64);
  vkc::Commands recorded = commands();
  device_.reset();
  EXPECT_TRUE(recorded.fill(kept, 7));
  run(recorded);
  EXPECT_EQ(kept.size_bytes(), 64U);
}

// Silence of the validation layer means something only if it speaks when there is something to say.
TEST_P(DeviceTest, TheValidationLayerListens) {
  expect_messages();
  if (!validation()) GTEST_SKIP() << "the validation layer is not installed";
  auto info = vkc::detail::vk_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer none = VK_NULL_HANDLE;  // of size 0, which is not allowed
  const std::uint64_t before = validation_message_count();
  (void)device().state()->vk.CreateBuffer(vkc::native_handle(device()), &info, nullptr, &none);
  EXPECT_GT(validation_message_count(), before);
  EXPECT_THAT(messages().at_least(vkc::Severity::error),
              testing::Contains(HasSubstr("VUID-VkBufferCreateInfo-size-00912")));
}

TEST_P(DeviceTest, WaitsUntilIdle) {
  EXPECT_TRUE(device().wait_idle());
  EXPECT_FALSE(device().is_lost());
}

TEST_P(DeviceTest, SoftwareIsNeverTheBestByItself) {
  const auto instance = vkc::Instance::create();
  ASSERT_TRUE(instance);
  const auto any = vkc::best_device(*instance, {.allow_software = true});
  ASSERT_TRUE(any) << any.error().text();
  const auto best = vkc::best_device(*instance);
  if (best) {
    EXPECT_NE(best->properties().type, vkc::DeviceType::software);
    EXPECT_EQ(any->properties().uuid, best->properties().uuid);
  } else {
    EXPECT_EQ(best.error().code, vkc::ErrorCode::no_device);
    EXPECT_THAT(best.error().reasons, testing::Contains(HasSubstr("software device")));
    EXPECT_EQ(any->properties().type, vkc::DeviceType::software);
  }
}

TEST_P(DeviceTest, SeveralDevicesAreIndependent) {
  auto other = vkc::Device::open(physical_device());
  ASSERT_TRUE(other);
  auto foreign = vkc::Buffer::create(*other, 64, vkc::MemoryKind::device, "foreign");
  ASSERT_TRUE(foreign);
  vkc::Commands recorded = commands();
  EXPECT_THAT(error_of(recorded.fill(*foreign, 0), vkc::ErrorCode::invalid_argument),
              HasSubstr("buffer \"foreign\" is of another device"));
  const vkc::Kernel add_one = kernel(vkc_test_kernels::add_one, {}, vkc::KernelGroupSize{8});
  vkc::Commands second = commands();
  EXPECT_THAT(
      error_of(add_one.dispatch(second, {}, {{"values", *foreign}}), vkc::ErrorCode::invalid_argument),
      HasSubstr("binding \"values\": buffer \"foreign\" is of another device"));
  EXPECT_THAT(
      error_of(vkc::upload(device(), *foreign, std::vector<int>{1}), vkc::ErrorCode::invalid_argument),
      HasSubstr("another device"));
  auto foreign_commands = vkc::Commands::create(*other);
  ASSERT_TRUE(foreign_commands);
  const vkc::Buffer own = buffer(64);
  EXPECT_THAT(
      error_of(add_one.dispatch(*foreign_commands, {}, {{"values", own}}), vkc::ErrorCode::invalid_argument),
      HasSubstr("another device"));
}

TEST_P(DeviceTest, FeaturesCanBeLeftOut) {
  vkc::DeviceOptions options;
  options.without_features.fp16_arithmetic = options.without_features.memory_budget = true;
  options.without_features.subgroup_size_control = true;
  const auto lesser = vkc::Device::open(physical_device(), options);
  ASSERT_TRUE(lesser) << lesser.error().text();
  const vkc::DeviceFeatures &all = device().properties().features, &left = lesser->properties().features;
  EXPECT_FALSE(left.fp16_arithmetic);
  EXPECT_FALSE(left.memory_budget);
  EXPECT_EQ(left.int8_arithmetic, all.int8_arithmetic);
  EXPECT_EQ(left.storage_16bit, all.storage_16bit);
  EXPECT_EQ(lesser->properties().limits.max_subgroup_size, lesser->properties().limits.subgroup_size);
  // The physical device itself is what it was.
  EXPECT_EQ(physical_device().properties().features.fp16_arithmetic, all.fp16_arithmetic);
}

VKC_DEVICE_TESTS(DeviceTest);

}  // namespace
