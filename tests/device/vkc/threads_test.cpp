#include <thread>

#include "test_device.h"

namespace {

namespace kernels = vkc_test_kernels;

class ThreadsTest : public vkc_test::DeviceTest {};

// Each thread makes, records, submits and waits on its own; the device and one kernel are shared.
TEST_P(ThreadsTest, ShareOneDevice) {
  const vkc::Kernel shared = kernel(kernels::add_one, {}, vkc::KernelGroupSize{16});
  const auto work = [&](std::uint32_t seed) {
    const auto own = vkc::Kernel::create(device(), kernels::add_one, {}, vkc::KernelGroupSize{seed + 1});
    ASSERT_TRUE(own);
    const auto values = vkc::Buffer::create(device(), 4096);
    ASSERT_TRUE(values);
    ASSERT_TRUE(vkc::upload(device(), *values, std::vector<std::uint32_t>(1024, seed)));
    auto commands = vkc::Commands::create(device());
    ASSERT_TRUE(commands);
    for (int round = 0; round < 10; ++round) {
      ASSERT_TRUE(commands->reset());
      ASSERT_TRUE(
          shared.dispatch(*commands, vkc::group_count({1024}, shared.group_size()), {{"values", *values}}));
      ASSERT_TRUE(
          own->dispatch(*commands, vkc::group_count({1024}, own->group_size()), {{"values", *values}}));
      const auto submission = commands->submit();
      ASSERT_TRUE(submission);
      ASSERT_TRUE(submission->wait());
    }
    const auto result = vkc::download<std::uint32_t>(device(), *values);
    ASSERT_TRUE(result);
    EXPECT_THAT(*result, testing::Each(seed + 20));
  };
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ThreadsTest, MayWaitForOneSubmission) {
  struct {
    std::uint32_t rounds = 1000000;
  } const push;
  const vkc::Kernel busy = kernel(kernels::busy);
  const vkc::Buffer values = buffer(256);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(values, 0));
  ASSERT_TRUE(busy.dispatch(recorded, {}, {{"values", values}}, push));
  const auto submission = recorded.submit();
  ASSERT_TRUE(submission);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([copy = *submission] {
      EXPECT_TRUE(copy.is_done());
      EXPECT_TRUE(copy.wait());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

VKC_DEVICE_TESTS(ThreadsTest);

}  // namespace
