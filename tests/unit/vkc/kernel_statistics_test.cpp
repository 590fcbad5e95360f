#include <gtest/gtest.h>
#include <vkc/kernel.h>

namespace vkc {
namespace {

KernelStatistic unsigned_one(std::string name, std::uint64_t value) {
  return {"main", std::move(name), "", value};
}

TEST(KernelStatistics, NamesOfAmd) {
  const KernelStatistics all =
      summarized({unsigned_one("SGPRs", 16), unsigned_one("VGPRs", 48), unsigned_one("Spilled VGPRs", 3),
                  unsigned_one("LDS size", 1024), unsigned_one("Scratch size", 512),
                  unsigned_one("Subgroups per SIMD", 10)});
  EXPECT_EQ(all.registers, 48U);
  EXPECT_EQ(all.spills, 3U);
  EXPECT_EQ(all.shared_bytes, 1024U);
  EXPECT_EQ(all.scratch_bytes, 512U);
  EXPECT_EQ(all.subgroups_in_flight, 10U);
  EXPECT_EQ(all.all.size(), 6U);
  EXPECT_FALSE(all.subgroup_size);
}

TEST(KernelStatistics, NamesOfNvidiaAndIntel) {
  const KernelStatistics nvidia = summarized({{"main", "Register Count", "", std::int64_t{80}}});
  EXPECT_EQ(nvidia.registers, 80U);
  EXPECT_FALSE(nvidia.spills);
  const KernelStatistics intel =
      summarized({unsigned_one("Spill Count", 7), unsigned_one("Workgroup Memory Size", 64)});
  EXPECT_EQ(intel.spills, 7U);
  EXPECT_EQ(intel.shared_bytes, 64U);
  EXPECT_FALSE(intel.registers);
}

TEST(KernelStatistics, OfSeveralExecutablesTheLargestCounts) {
  EXPECT_EQ(
      summarized({unsigned_one("VGPRs", 8), unsigned_one("VGPRs", 24), unsigned_one("VGPRs", 16)}).registers,
      24U);
}

TEST(KernelStatistics, WhatIsNoCountIsNone) {
  EXPECT_FALSE(summarized({{"main", "VGPRs", "", std::int64_t{-1}}}).registers);
  EXPECT_FALSE(summarized({{"main", "VGPRs", "", 2.5}}).registers);
  EXPECT_FALSE(summarized({}).registers);
}

}  // namespace
}  // namespace vkc
