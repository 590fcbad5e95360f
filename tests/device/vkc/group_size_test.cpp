#include "test_device.h"
#include "vkc/device_state.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc::KernelGroupSize;
using vkc_test::error_of;

class GroupSizeTest : public vkc_test::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (device_ && device().properties().limits.timestamp_valid_bits == 0)
      GTEST_SKIP() << "the device has no timestamps";
  }
};

struct Push {
  std::uint32_t count = 4096;
};

TEST_P(GroupSizeTest, TheFastestIsFound) {
  const vkc::Buffer values = buffer(4096 * 4);
  const auto found = vkc::fastest_group_size(device(), kernels::uneven, {},
                                             {KernelGroupSize{1}, KernelGroupSize{16}, KernelGroupSize{64}},
                                             vkc::Extent{4096}, {{"values", values}}, Push{}, {.rounds = 5});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NE(found->group_size, KernelGroupSize{1});
  EXPECT_EQ(found->kernel.group_size(), found->group_size);
  ASSERT_EQ(found->trials.size(), 3U);
  for (const vkc::GroupSizeTrial& trial : found->trials) {
    ASSERT_TRUE(trial.median_ms && trial.least_ms && !trial.error);
    EXPECT_LE(*trial.least_ms, *trial.median_ms);
    EXPECT_LE(found->median_ms, *trial.median_ms);
    EXPECT_EQ(trial.rounds, 5U);
  }
  EXPECT_GT(*found->trials[0].median_ms, 3 * found->median_ms);  // a hundred times the work
}

TEST_P(GroupSizeTest, WhatFailsIsListedWithItsReason) {
  const vkc::DeviceLimits& limits = device().properties().limits;
  const vkc::Buffer values = buffer(4096 * 4);
  const KernelGroupSize too_large{limits.max_group_size[0] + 1};
  const auto found = vkc::fastest_group_size(device(), kernels::uneven, {}, {too_large, KernelGroupSize{32}},
                                             vkc::Extent{4096}, {{"values", values}}, Push{}, {.rounds = 1});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->group_size, KernelGroupSize{32});
  ASSERT_TRUE(found->trials[0].error);
  EXPECT_THAT(found->trials[0].error->message, HasSubstr("max_group_size[0]"));
  EXPECT_FALSE(found->trials[0].median_ms);

  const auto none = vkc::fastest_group_size(device(), kernels::uneven, {}, {too_large, KernelGroupSize{0}},
                                            vkc::Extent{4096}, {{"values", values}}, Push{});
  error_of(none, ErrorCode::limit_exceeded);
  ASSERT_EQ(none.error().reasons.size(), 2U);
  EXPECT_THAT(none.error().reasons[1], HasSubstr("0x1x1: kernel \"uneven\""));
}

TEST_P(GroupSizeTest, MistakesOfTheCallerAreErrors) {
  const vkc::Buffer values = buffer(4096 * 4);
  const auto tried = [&](vkc::ListView<KernelGroupSize> candidates, vkc::ListView<vkc::Binding> bindings,
                         const vkc::GroupSizeOptions& options) {
    return vkc::fastest_group_size(device(), kernels::uneven, {}, candidates, vkc::Extent{4096}, bindings,
                                   Push{}, options);
  };
  EXPECT_THAT(error_of(tried({}, {{"values", values}}, {}), ErrorCode::invalid_argument),
              HasSubstr("no candidate"));
  error_of(tried({KernelGroupSize{8}}, {{"values", values}}, {.rounds = 0}), ErrorCode::invalid_argument);
  const auto wrong = tried({KernelGroupSize{8}}, {{"wrong", values}}, {});
  error_of(wrong, ErrorCode::invalid_argument);
  EXPECT_THAT(wrong.error().reasons, testing::ElementsAre(HasSubstr("there is no binding \"wrong\"")));
}

// The budget ends the rounds, not the first of them.
TEST_P(GroupSizeTest, TheBudgetIsKept) {
  const vkc::Buffer values = buffer(4096 * 4);
  const auto found = vkc::fastest_group_size(
      device(), kernels::uneven, {}, {KernelGroupSize{8}, KernelGroupSize{32}}, vkc::Extent{4096},
      {{"values", values}}, Push{}, {.rounds = 1000000, .budget = std::chrono::milliseconds(0)});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->trials[0].rounds, 1U);
  EXPECT_EQ(found->trials[1].rounds, 1U);
}

TEST_P(GroupSizeTest, WorkOfTheCallersOwn) {
  const vkc::Buffer values = buffer(4096 * 4);
  int calls = 0;
  const vkc::RecordWork work = [&](vkc::Commands& commands, const vkc::Kernel& kernel) -> vkc::Status {
    ++calls;
    if (auto ok = commands.fill(values, 0); !ok) return ok;
    return kernel.dispatch(commands, vkc::group_count({4096}, kernel.group_size()), {{"values", values}},
                           Push{});
  };
  const auto found =
      vkc::fastest_group_size(device(), kernels::uneven, {}, {KernelGroupSize{8}}, work, {.rounds = 2});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_GE(calls, 3);
  error_of(
      vkc::fastest_group_size(device(), kernels::uneven, {}, {KernelGroupSize{8}}, vkc::RecordWork(), {}),
      ErrorCode::invalid_argument);
}

VkResult VKAPI_CALL lose_on_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}

TEST_P(GroupSizeTest, ALostDeviceEndsTheSearch) {
  expect_messages();
  const vkc::Buffer values = buffer(4096 * 4);
  device().state()->vk.QueueSubmit = lose_on_submit;
  error_of(vkc::fastest_group_size(device(), kernels::uneven, {}, {KernelGroupSize{8}, KernelGroupSize{16}},
                                   vkc::Extent{4096}, {{"values", values}}, Push{}),
           ErrorCode::device_lost);
}

VKC_DEVICE_TESTS(GroupSizeTest);

}  // namespace
