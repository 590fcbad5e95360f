#include "plan/memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

using testing::Random;

bool disjoint(const Placement& placement, const std::vector<Lifetime>& lifetimes, size_t a, size_t b) {
  const bool together =
      lifetimes[a].first_step <= lifetimes[b].last_step && lifetimes[b].first_step <= lifetimes[a].last_step;
  const uint64_t a_end = placement.offsets_bytes[a] + lifetimes[a].size_bytes;
  const uint64_t b_end = placement.offsets_bytes[b] + lifetimes[b].size_bytes;
  return !together || a_end <= placement.offsets_bytes[b] || b_end <= placement.offsets_bytes[a];
}

TEST(Place, LivingTensorsDoNotOverlap) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<Lifetime> lifetimes(static_cast<size_t>(random.between(0, 20)));
    for (Lifetime& lifetime : lifetimes) {
      const auto first = static_cast<uint32_t>(random.between(0, 10));
      lifetime = {static_cast<uint64_t>(random.between(0, 1000)), first,
                  first + static_cast<uint32_t>(random.between(0, 4))};
    }
    const uint64_t alignment = uint64_t{1} << random.between(0, 8);
    const Placement placement = place(lifetimes, alignment);
    ASSERT_EQ(placement.offsets_bytes.size(), lifetimes.size());
    for (size_t a = 0; a < lifetimes.size(); ++a) {
      ASSERT_EQ(placement.offsets_bytes[a] % alignment, 0U);
      ASSERT_LE(placement.offsets_bytes[a] + lifetimes[a].size_bytes, placement.arena_bytes);
      for (size_t b = 0; b < a; ++b) ASSERT_TRUE(disjoint(placement, lifetimes, a, b)) << round;
    }
  }
}

TEST(Place, AChainNeedsTwoOfItsTensors) {
  std::vector<Lifetime> chain;
  for (uint32_t i = 0; i < 10; ++i) chain.push_back({1000, i, i + 1});
  EXPECT_EQ(place(chain, 256).arena_bytes, 1024U + 1000U);
}

TEST(Place, NothingAndAlignmentOne) {
  EXPECT_EQ(place({}, 256).arena_bytes, 0U);
  const std::vector<Lifetime> two = {{3, 0, 1}, {5, 1, 2}};
  EXPECT_EQ(place(two, 1).arena_bytes, 8U);
}

}  // namespace
}  // namespace upres::plan
