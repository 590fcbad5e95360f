// Faults of the driver, made by putting other functions into the device's table.
#include "test_device.h"
#include "vkc/device_state.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc_test::error_of;

class FaultTest : public vkc_test::DeviceTest {
 protected:
  // Errors that reach the log are part of these tests.
  void SetUp() override {
    DeviceTest::SetUp();
    expect_messages();
  }
};

VkResult VKAPI_CALL lose_on_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}
VkResult VKAPI_CALL lose_on_wait(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t) {
  return VK_ERROR_DEVICE_LOST;
}
VkResult VKAPI_CALL no_memory_on_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}
VkResult VKAPI_CALL no_memory_on_wait(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

TEST_P(FaultTest, ADeviceLostAtSubmitIsReportedOnceAndRefusesWork) {
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, vkc::KernelGroupSize{8});
  const vkc::Buffer values = buffer(32);
  vkc::Commands recorded = commands(), other = commands();
  ASSERT_TRUE(add_one.dispatch(recorded, {}, {{"values", values}}));
  device().state()->vk.QueueSubmit = lose_on_submit;
  messages().clear();
  EXPECT_THAT(error_of(recorded.submit(), ErrorCode::device_lost),
              HasSubstr("vkQueueSubmit failed: VK_ERROR_DEVICE_LOST"));
  EXPECT_TRUE(device().is_lost());
  EXPECT_THAT(error_of(recorded.submit(), ErrorCode::device_lost), HasSubstr("was lost"));
  EXPECT_EQ(error_of(other.fill(values, 0), ErrorCode::device_lost),
            device().properties().name + " was lost; open it again to go on");
  error_of(recorded.reset(), ErrorCode::device_lost);
  error_of(other.submit(), ErrorCode::device_lost);
  error_of(device().wait_idle(), ErrorCode::device_lost);
  error_of(vkc::Buffer::create(device(), 64), ErrorCode::device_lost);
  error_of(vkc::Commands::create(device()), ErrorCode::device_lost);
  error_of(vkc::Kernel::create(device(), kernels::literal), ErrorCode::device_lost);
  error_of(vkc::Timestamps::create(device(), 2), ErrorCode::device_lost);
  error_of(vkc::download<int>(device(), values), ErrorCode::device_lost);
  EXPECT_THAT(messages().at_least(vkc::Severity::error),
              testing::ElementsAre(HasSubstr("VK_ERROR_DEVICE_LOST")));
}

TEST_P(FaultTest, ADeviceLostWhileWaiting) {
  const vkc::Buffer values = buffer(32);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(values, 1));
  const auto submission = recorded.submit();
  ASSERT_TRUE(submission);
  auto& wait = device().state()->vk.WaitForFences;
  const auto real = wait;
  ASSERT_TRUE(device().wait_idle());
  wait = lose_on_wait;
  error_of(submission->wait(), ErrorCode::device_lost);
  wait = real;
  error_of(submission->wait(), ErrorCode::device_lost);
  error_of(submission->is_done(), ErrorCode::device_lost);
}

TEST_P(FaultTest, AFailedSubmitMayBeTriedAgain) {
  const vkc::Buffer values = buffer(32);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(values, 7));
  auto& submit = device().state()->vk.QueueSubmit;
  const auto real = submit;
  submit = no_memory_on_submit;
  error_of(recorded.submit(), ErrorCode::out_of_memory);
  submit = real;
  run(recorded);
  EXPECT_THAT(values_of<std::uint32_t>(values), testing::Each(7U));
}

TEST_P(FaultTest, AFailedWaitIsNotTheEnd) {
  const vkc::Buffer values = buffer(32);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(values, 7));
  const auto submission = recorded.submit();
  ASSERT_TRUE(submission);
  auto& wait = device().state()->vk.WaitForFences;
  const auto real = wait;
  wait = no_memory_on_wait;
  error_of(submission->wait(), ErrorCode::out_of_memory);
  wait = real;
  EXPECT_TRUE(submission->wait());
  EXPECT_THAT(values_of<std::uint32_t>(values), testing::Each(7U));
}

// Every function that can fail does so once, at every stage: an error each time, nothing left behind.
VkResult fail() { return VK_ERROR_OUT_OF_HOST_MEMORY; }
template <typename... Arguments>
VkResult VKAPI_CALL failing(Arguments...) {
  return fail();
}
template <typename... Arguments>
void make_fail(VkResult(VKAPI_PTR*& function)(Arguments...)) {
  function = failing<Arguments...>;
}

template <typename Function, typename Use>
void expect_out_of_memory(Function& function, Use use) {
  const Function real = function;
  make_fail(function);
  error_of(use(), ErrorCode::out_of_memory);
  function = real;
}

TEST_P(FaultTest, EveryFailureIsPassedOn) {
  auto& vk = device().state()->vk;
  const auto make_buffer = [&] { return vkc::Buffer::create(device(), 64, vkc::MemoryKind::upload); };
  expect_out_of_memory(vk.CreateBuffer, make_buffer);
  expect_out_of_memory(vk.AllocateMemory, make_buffer);
  expect_out_of_memory(vk.BindBufferMemory, make_buffer);
  expect_out_of_memory(vk.MapMemory, make_buffer);
  const auto make_image = [&] {
    return vkc::Image::create_2d(device(), vkc::ImageFormat::rgba8_unorm, 4, 4);
  };
  expect_out_of_memory(vk.CreateImage, make_image);
  expect_out_of_memory(vk.AllocateMemory, make_image);
  expect_out_of_memory(vk.BindImageMemory, make_image);
  expect_out_of_memory(vk.CreateImageView, make_image);
  expect_out_of_memory(vk.CreateSampler, [&] { return vkc::Sampler::create(device()); });
  const auto make_kernel = [&] {
    return vkc::Kernel::create(device(), kernels::saxpy, {}, vkc::KernelGroupSize{8});
  };
  expect_out_of_memory(vk.CreateDescriptorSetLayout, make_kernel);
  expect_out_of_memory(vk.CreatePipelineLayout, make_kernel);
  expect_out_of_memory(vk.CreateDescriptorUpdateTemplate, make_kernel);
  expect_out_of_memory(vk.CreateShaderModule, make_kernel);
  expect_out_of_memory(vk.CreateComputePipelines, make_kernel);
  const auto make_commands = [&] { return vkc::Commands::create(device()); };
  expect_out_of_memory(vk.CreateCommandPool, make_commands);
  expect_out_of_memory(vk.AllocateCommandBuffers, make_commands);
  expect_out_of_memory(vk.BeginCommandBuffer, make_commands);
  expect_out_of_memory(vk.CreateQueryPool, [&] { return vkc::Timestamps::create(device(), 1); });
  expect_out_of_memory(vk.QueueWaitIdle, [&] { return device().wait_idle(); });

  const vkc::Kernel add_one = kernel(kernels::add_one, {}, vkc::KernelGroupSize{8});
  const vkc::Buffer values = buffer(32);
  // Of several sets, because one may need no pool.
  const vkc::Kernel add = kernel(kernels::sets);
  const vkc::Buffer sum = buffer(32);
  const auto dispatch = [&] {
    vkc::Commands recorded = commands();
    return add.dispatch(recorded, {}, {{"first", values}, {"second", values}, {"sum", sum}});
  };
  expect_out_of_memory(vk.CreateDescriptorPool, dispatch);
  expect_out_of_memory(vk.AllocateDescriptorSets, dispatch);
  const auto submit = [&] { return commands().submit(); };
  expect_out_of_memory(vk.EndCommandBuffer, submit);
  expect_out_of_memory(vk.CreateFence, submit);
  expect_out_of_memory(vk.ResetCommandPool, [&] { return commands().reset(); });
  EXPECT_FALSE(device().is_lost());
  vkc::Commands recorded = commands();
  ASSERT_TRUE(add_one.dispatch(recorded, {}, {{"values", values}}));
  run(recorded);
}

// The first submission of an image did not happen: the next one is the first again.
TEST_P(FaultTest, AFailedFirstUseOfAnImageMayBeTriedAgain) {
  const auto image =
      vkc::Image::create_2d(device(), vkc::ImageFormat::r8_uint, 4, 4, {.use = vkc::ImageUse::sampled});
  ASSERT_TRUE(image);
  const vkc::Buffer from = buffer_of(std::vector<std::uint8_t>(16, 7));
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.copy(from, *image));
  auto& submit = device().state()->vk.QueueSubmit;
  expect_out_of_memory(submit, [&] { return recorded.submit(); });
  run(recorded);
  EXPECT_THAT(vkc::download<std::uint8_t>(device(), *image).value(), testing::Each(7));
}

// Limits on how many there may be at a time, lowered here so that a test can reach them.
TEST_P(FaultTest, NumbersOfObjectsAreLimited) {
  auto& state = *device().state();
  const auto held = vkc::Sampler::create(device());
  ASSERT_TRUE(held);
  std::uint32_t taken = 1;
  while (state.samplers.take("a sampler")) {
    if (++taken > 1000000) GTEST_SKIP() << "the limit is beyond what a test should count";
  }
  EXPECT_EQ(taken, device().properties().limits.max_samplers);
  EXPECT_THAT(error_of(vkc::Sampler::create(device(), {.name = "one more"}), ErrorCode::limit_exceeded),
              HasSubstr("making sampler \"one more\": a number of such objects of " +
                        std::to_string(taken + 1) + " is beyond the device's max_samplers"));
  for (; taken > 1; --taken) state.samplers.give_back();
  EXPECT_TRUE(vkc::Sampler::create(device()));
}

VKC_DEVICE_TESTS(FaultTest);

}  // namespace
