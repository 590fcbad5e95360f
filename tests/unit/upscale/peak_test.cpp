#include "upscale/peak.h"

#include <gtest/gtest.h>
#include <vkc/kernel.h>

#include "upres_peak_shaders_kernels.h"

namespace upres::upscale {
namespace {

TEST(Peak, ShadersHaveThePushConstantsThatTheHostSends) {
  const std::vector<vkc::PushMember> members = {{"rounds", 0, 4}, {"factor", 4, 4}, {"summand", 8, 4}};
  ASSERT_EQ(upres_peak_shaders_kernels::all().size(), 3U);
  for (const vkc::KernelSource* source : upres_peak_shaders_kernels::all()) {
    const auto same = vkc::check_push_constants(*source, members);
    EXPECT_TRUE(same) << source->name << ": " << same.error().text();
  }
}

TEST(Peak, IsThatOfWhatAPrecisionMayUse) {
  const Peaks peaks{50, 100, 600};
  EXPECT_EQ(peak_gflops(peaks, Precision::fp32), 50);
  EXPECT_EQ(peak_gflops(peaks, Precision::fp16), 600);
  EXPECT_EQ(peak_gflops({50, 10, std::nullopt}, Precision::fp16), 50);
  EXPECT_EQ(peak_gflops(peaks, Precision::bf16), std::nullopt);
  EXPECT_EQ(peak_gflops({}, Precision::fp16), std::nullopt);
}

}  // namespace
}  // namespace upres::upscale
