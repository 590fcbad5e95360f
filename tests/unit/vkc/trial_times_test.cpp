#include "vkc/trial_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vkc/group_size_search.h>

#include <array>
#include <limits>

namespace {

using vkc::detail::median;
using vkc::detail::repetitions;

TEST(TrialTimes, TheMedianDoesNotMindOneBadMeasurement) {
  EXPECT_EQ(median(std::array{3.0}), 3);
  EXPECT_EQ(median(std::array{5.0, 1.0}), 3);
  EXPECT_EQ(median(std::array{1000.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median(std::array{4.0, 1.0, 3.0, 900.0}), 3.5);
}

TEST(TrialTimes, RepetitionsFillTheMeasurement) {
  EXPECT_EQ(repetitions(0.25, 1), 4U);
  EXPECT_EQ(repetitions(0.3, 1), 4U);
  EXPECT_EQ(repetitions(5, 1), 1U);
  EXPECT_EQ(repetitions(1e-9, 1), 200U);
  for (const double once_ms : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(repetitions(once_ms, 1), 200U);
  EXPECT_EQ(repetitions(0.1, 0), 1U);
  EXPECT_EQ(repetitions(std::numeric_limits<double>::infinity(), 1), 1U);
}

TEST(GroupSizeCandidates, StayWithinTheLimits) {
  vkc::DeviceLimits limits;
  limits.max_group_size = {128, 64, 2};
  limits.max_group_invocations = 128;
  limits.subgroup_size = 32;
  using Size = vkc::KernelGroupSize;
  EXPECT_THAT(vkc::group_size_candidates(limits, 1), testing::ElementsAre(Size{32}, Size{64}, Size{128}));
  const auto flat = vkc::group_size_candidates(limits, 2);
  EXPECT_THAT(flat, testing::Contains(Size{8, 8, 1}));
  const auto solid = vkc::group_size_candidates(limits, 3);
  EXPECT_THAT(solid, testing::Contains(Size{8, 8, 2}));
  for (const Size& size : solid) {
    EXPECT_LE(size.x, 128U);
    EXPECT_LE(size.y, 64U);
    EXPECT_LE(size.z, 2U);
    EXPECT_GE(size.x * size.y * size.z, 32U);
    EXPECT_LE(size.x * size.y * size.z, 128U);
  }
  EXPECT_THAT(vkc::group_size_candidates(limits, 0), testing::IsEmpty());
  EXPECT_THAT(vkc::group_size_candidates(limits, 4), testing::IsEmpty());
  limits.subgroup_size = 256;  // wider than a group may be
  EXPECT_THAT(vkc::group_size_candidates(limits, 1), testing::ElementsAre(Size{128}));
}

}  // namespace
