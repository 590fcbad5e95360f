// What conv_winograd promises beside what every kernel must (kernels_test.cpp), on every Vulkan device of the
// machine: that no tunable changes a bit, and how far NaN and infinity spread.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernel_runner.h"
#include "kernels/cases.h"
#include "kernels/kernel.h"
#include "test_devices.h"

namespace upres::kernels {
namespace {

using testing_devices::TestDevices;

class Winograd : public testing::Test {
 protected:
  void SetUp() override {
    if (!devices_.devices().empty()) return;
    if (TestDevices::required()) FAIL() << "no Vulkan device: " << devices_.problem();
    GTEST_SKIP() << "EVERY TEST SKIPPED: no Vulkan device: " << devices_.problem();
  }
  void TearDown() override {
    EXPECT_EQ(devices_.validation_messages(), 0U) << "the validation layer complained, see above";
  }

  // Every stride-th case of the kernel on every device; how often is counted.
  template <typename Check>
  void for_each_case(size_t stride, const Check& check) {
    for (const auto& [device, info] : devices_.devices()) {
      KernelRunner runner(device, info);
      size_t index = 0;
      for (const KernelCase& test : kernel_cases(kernel_.tile({}))) {
        if (!kernel_.computes(test.graph, test.node()) || index++ % stride != 0) continue;
        SCOPED_TRACE(device.properties().name + ": " + test.line);
        check(runner, test);
        if (HasFatalFailure()) return;
        ++count_;
      }
    }
  }

  // The output's samples, in the storage that the kernel likes best.
  std::vector<float> run(KernelRunner& runner, const KernelCase& test, const std::vector<Tensor>& inputs,
                         const std::vector<Tuning>& tuning = {}) {
    const Selection selection = all_selections(kernel_, test.graph, test.node()).front();
    const auto outputs = runner.run(kernel_, test, inputs, {.tuning = tuning, .selection = selection});
    if (!outputs) {
      ADD_FAILURE() << outputs.error().text();
      return {};
    }
    const auto samples = outputs->front().as<float>();
    return {samples.begin(), samples.end()};
  }

  TestDevices devices_ = TestDevices::open();
  const Kernel& kernel_ = *find_kernel("conv_winograd");
  size_t count_ = 0;
};

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Thread and group tiles of one, of no power of two, wider than pictures, and of many channels.
TEST_F(Winograd, TilesChangeNoBit) {
  const std::vector<std::vector<Tuning>> tunings = {
      {{"tiles", 4}, {"channel_blocks", 4}, {"tile_threads", 4}, {"channel_threads", 2}, {"slice_blocks", 4}},
      {{"tiles", 8}, {"channel_blocks", 1}, {"tile_threads", 1}, {"tiles_x", 4}, {"slice_blocks", 1}},
      {{"tiles", 3}, {"channel_blocks", 2}, {"tile_threads", 2}, {"channel_threads", 3}, {"tiles_x", 3}},
      {{"tiles", 1}, {"channel_blocks", 1}, {"tile_threads", 1}, {"channel_threads", 1}, {"tiles_x", 1}},
      {{"tiles", 4}, {"tile_threads", 8}, {"channel_threads", 1}, {"tiles_x", 32}, {"slice_blocks", 3}}};
  size_t compared = 0;
  for_each_case(5, [&](KernelRunner& runner, const KernelCase& test) {
    const auto inputs = case_inputs(test);
    const auto plain = run(runner, test, inputs);
    ASSERT_FALSE(plain.empty());
    for (const auto& tuning : tunings) {
      if (!kernel_.legal(test.graph, test.node(), runner.device_info(), {.tuning = tuning})) continue;
      EXPECT_TRUE(same_bits(plain, run(runner, test, inputs, tuning))) << tuning.front().value << " tiles";
      ++compared;
    }
  });
  EXPECT_GE(compared, 2 * count_);
}

// Three samples that are no numbers.
void poison(Tensor& tensor, const std::array<float, 3>& specials) {
  const auto samples = tensor.as<float>();
  samples[samples.size() / 3] = specials[0];
  samples[samples.size() / 2] = specials[1];
  samples[samples.size() - 1] = specials[2];
}

TEST_F(Winograd, NanAndInfinityReachWhatTheirKernelsCoverAndNoMore) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  size_t reached = 0;
  size_t beyond = 0;
  for_each_case(3, [&](KernelRunner& runner, const KernelCase& test) {
    const bool apply_relu = std::get<graph::Conv>(test.node().op).apply_relu;
    auto inputs = case_inputs(test);
    const auto clean = run(runner, test, inputs);
    poison(inputs.front(), {kNan, kNan, kNan});
    const auto expected = case_expected(test, inputs);
    ASSERT_TRUE(expected.has_value()) << expected.error().text();
    const auto covered = expected->front().as<float>();
    const auto with_nan = run(runner, test, inputs);
    poison(inputs.front(), {kNan, kInfinity, -kInfinity});
    const auto mixed = run(runner, test, inputs);
    ASSERT_TRUE(clean.size() == covered.size() && with_nan.size() == covered.size() &&
                mixed.size() == covered.size());
    for (size_t i = 0; i < covered.size(); ++i) {
      if (std::isnan(covered[i])) {
        ++reached;
        ASSERT_TRUE(std::isnan(with_nan[i])) << i;
        ASSERT_TRUE(!std::isfinite(mixed[i]) || (apply_relu && mixed[i] == 0)) << i << " is " << mixed[i];
      } else {
        ++beyond;
        ASSERT_TRUE(same_bits(clean[i], with_nan[i]) && same_bits(clean[i], mixed[i])) << i;
      }
    }
  });
  EXPECT_GT(reached, 1000U);
  EXPECT_GT(beyond, 1000U);
}

}  // namespace
}  // namespace upres::kernels
