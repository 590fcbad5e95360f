#include "vkc/hazards.h"

#include <gtest/gtest.h>

namespace {

using vkc::detail::HazardTracker;

const int kMemory[2] = {};

HazardTracker::Access read(std::uint64_t begin, std::uint64_t end) {
  return {&kMemory[0], begin, end, false};
}
HazardTracker::Access write(std::uint64_t begin, std::uint64_t end) {
  return {&kMemory[0], begin, end, true};
}

TEST(HazardTracker, ReadsDoNotConflict) {
  HazardTracker tracker;
  tracker.add(read(0, 10));
  EXPECT_FALSE(tracker.conflicts(read(0, 10)));
  EXPECT_FALSE(tracker.conflicts(read(5, 20)));
}

TEST(HazardTracker, AWriteConflictsWithWhatItTouches) {
  HazardTracker tracker;
  tracker.add(write(10, 20));
  EXPECT_TRUE(tracker.conflicts(read(19, 30)));  // read after write
  EXPECT_TRUE(tracker.conflicts(write(0, 11)));  // write after write
  EXPECT_TRUE(tracker.conflicts(read(12, 13)));
  EXPECT_TRUE(tracker.conflicts(read(0, 100)));
  EXPECT_FALSE(tracker.conflicts(read(20, 30)));
  EXPECT_FALSE(tracker.conflicts(write(0, 10)));
}

TEST(HazardTracker, AWriteConflictsWithEarlierReads) {
  HazardTracker tracker;
  tracker.add(read(10, 20));
  EXPECT_TRUE(tracker.conflicts(write(15, 16)));
  EXPECT_FALSE(tracker.conflicts(write(20, 21)));
}

TEST(HazardTracker, OtherMemoryIsIndependent) {
  HazardTracker tracker;
  tracker.add(write(0, 10));
  EXPECT_FALSE(tracker.conflicts({&kMemory[1], 0, 10, true}));
}

TEST(HazardTracker, ABarrierEndsConflicts) {
  HazardTracker tracker;
  tracker.add(write(0, 10));
  tracker.clear();
  EXPECT_FALSE(tracker.conflicts(write(0, 10)));
}

TEST(HazardTracker, AsksForABarrierBeforeTheListGrowsWithoutEnd) {
  HazardTracker tracker;
  std::uint64_t added = 0;
  while (added < 10000 && !tracker.conflicts(write(added * 8, added * 8 + 8))) {
    tracker.add(write(added * 8, added * 8 + 8));
    ++added;
  }
  EXPECT_GE(added, 64U);
  EXPECT_LT(added, 1000U);
}

TEST(HazardTracker, TheSameAccessCountsOnce) {
  HazardTracker tracker;
  for (int i = 0; i < 10000; ++i) tracker.add(read(0, 10));
  EXPECT_FALSE(tracker.conflicts(read(0, 10)));
}

}  // namespace
