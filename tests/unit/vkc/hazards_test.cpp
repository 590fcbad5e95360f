#include "vkc/hazards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

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
  while (added < 10000 && !tracker.conflicts(write(added * 9, added * 9 + 8))) {
    tracker.add(write(added * 9, added * 9 + 8));
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

TEST(HazardTracker, AsksForABarrierBeforeTooManyMemories) {
  HazardTracker tracker;
  const std::vector<int> memories(10000);
  std::size_t added = 0;
  while (added < memories.size() && !tracker.conflicts({&memories[added], 0, 8, true})) {
    tracker.add({&memories[added++], 0, 8, true});
  }
  EXPECT_GE(added, 64U);
  EXPECT_LT(added, 1000U);
  tracker.clear();
  EXPECT_FALSE(tracker.conflicts({&memories[0], 0, 8, true}));
}

TEST(HazardTracker, PiecesSideBySideBecomeOne) {
  HazardTracker tracker;
  for (std::uint64_t row = 0; row < 10000; ++row) {
    ASSERT_FALSE(tracker.conflicts(write(row * 8, row * 8 + 8))) << row;
    tracker.add(write(row * 8, row * 8 + 8));
  }
  EXPECT_TRUE(tracker.conflicts(read(79999, 80000)));
  EXPECT_FALSE(tracker.conflicts(read(80000, 80001)));
}

TEST(HazardTracker, PiecesApartStayApart) {
  HazardTracker tracker;
  tracker.add(write(0, 10));
  tracker.add(write(20, 30));
  EXPECT_FALSE(tracker.conflicts(read(10, 20)));
  EXPECT_TRUE(tracker.conflicts(read(10, 21)));
  tracker.add(write(10, 20));  // closes the gap
  EXPECT_TRUE(tracker.conflicts(read(10, 11)));
}

// A command that binds more than the table was made for.
TEST(HazardTracker, ManyMemories) {
  const std::vector<int> memories(1000);
  HazardTracker tracker;
  for (const int& memory : memories) tracker.add({&memory, 0, 4, true});
  for (const int& memory : memories) EXPECT_TRUE(tracker.conflicts({&memory, 3, 5, false}));
  tracker.clear();
  for (const int& memory : memories) EXPECT_FALSE(tracker.conflicts({&memory, 3, 5, false}));
}

// The same questions to a plain list of accesses.
TEST(HazardTracker, AgreesWithAPlainList) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  for (int round = 0; round < 50; ++round) {
    HazardTracker tracker;
    std::vector<HazardTracker::Access> list;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t begin = below(200);
      const HazardTracker::Access access = {&kMemory[below(2)], begin, begin + 1 + below(20), below(3) == 0};
      const bool conflict = std::any_of(list.begin(), list.end(), [&](const auto& earlier) {
        return earlier.memory == access.memory && (earlier.write || access.write) &&
               earlier.begin_bytes < access.end_bytes && access.begin_bytes < earlier.end_bytes;
      });
      ASSERT_EQ(tracker.conflicts(access), conflict);
      if (conflict) {
        tracker.clear();
        list.clear();
      }
      tracker.add(access);
      list.push_back(access);
    }
  }
}

// Commands of several accesses, against a plain list.
TEST(HazardTracker, CommandsWaitExactlyWhereOneOfTheirAccessesMust) {
  std::mt19937 random(2);
  const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  int waits = 0, goes = 0;
  for (int round = 0; round < 50; ++round) {
    HazardTracker tracker;
    std::vector<HazardTracker::Access> list;
    for (int i = 0; i < 60; ++i) {
      std::vector<HazardTracker::Access> command(below(4));
      for (HazardTracker::Access& access : command) {
        const std::uint64_t begin = below(500);
        access = {&kMemory[below(2)], begin, begin + 1 + below(20), below(4) == 0};
      }
      const bool conflict = std::any_of(list.begin(), list.end(), [&](const auto& earlier) {
        return std::any_of(command.begin(), command.end(), [&](const auto& access) {
          return earlier.memory == access.memory && (earlier.write || access.write) &&
                 earlier.begin_bytes < access.end_bytes && access.begin_bytes < earlier.end_bytes;
        });
      });
      ASSERT_EQ(tracker.must_wait(command), conflict);
      ++(conflict ? waits : goes);
      if (conflict) {
        tracker.clear();
        list.clear();
      }
      tracker.remember(command);
      list.insert(list.end(), command.begin(), command.end());
    }
  }
  EXPECT_GT(waits, 100);
  EXPECT_GT(goes, 100);
}

}  // namespace
