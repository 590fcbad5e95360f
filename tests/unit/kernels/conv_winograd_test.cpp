#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "one_node.h"

namespace upres::kernels {
namespace {

graph::Conv conv_of(int in_channels, int out_channels, int kernel_size = 3) {
  graph::Conv conv{.in_channels = in_channels,
                   .out_channels = out_channels,
                   .kernel_height = kernel_size,
                   .kernel_width = kernel_size,
                   .padding = {1, 1, 1, 1},
                   .apply_relu = true,
                   .weights = {},
                   .biases = {}};
  const auto count = static_cast<size_t>(in_channels * out_channels * kernel_size * kernel_size);
  conv.weights = std::make_shared<std::vector<float>>(count);
  conv.biases = std::make_shared<std::vector<float>>(static_cast<size_t>(out_channels));
  return conv;
}

graph::Graph graph_of(const graph::Conv& conv) {
  return one_node(conv, {planar(conv.in_channels)}, {planar(conv.out_channels)});
}

class ConvWinogradTest : public testing::Test {
 protected:
  bool computes(const graph::Conv& conv) {
    const graph::Graph graph = graph_of(conv);
    return kernel_.computes(graph, graph.nodes()[0]);
  }
  // On 64 channels to 64.
  Status legal(const std::vector<Tuning>& tuning) {
    const graph::Graph graph = graph_of(conv_of(64, 64));
    return kernel_.legal(graph, graph.nodes()[0], device_, {.tuning = tuning});
  }
  void expect_refused(const Status& status, std::string_view word) {
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::device);
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
  }
  const Kernel& kernel_ = *find_kernel("conv_winograd");
  DeviceInfo device_;
};

TEST_F(ConvWinogradTest, ComputesKernelsOf3x3OnBlocksOfInputs) {
  EXPECT_TRUE(computes(conv_of(4, 1)));
  EXPECT_TRUE(computes(conv_of(64, 9)));
  EXPECT_FALSE(computes(conv_of(3, 4)));
  EXPECT_FALSE(computes(conv_of(4, 4, 5)));
  EXPECT_FALSE(computes(conv_of(4, 4, 1)));
}

TEST_F(ConvWinogradTest, IsNotPreferredToTheDirectForm) {
  std::vector<std::string_view> ids;
  for (const Kernel* kernel : all_kernels()) ids.push_back(kernel->id());
  EXPECT_LT(std::ranges::find(ids, "conv_register"), std::ranges::find(ids, "conv_winograd"));
}

// 8 tiles of 2 blocks: 16 sums, 8 inputs and 4 weights are 112 registers, and 24 besides.
TEST_F(ConvWinogradTest, SumsThatFitTheRegisters) {
  EXPECT_TRUE(legal({}));
  EXPECT_TRUE(legal({{"channel_blocks", 4}}));
  expect_refused(legal({{"tiles", 16}, {"channel_blocks", 4}}), "registers");
  device_.vendor_id = 0x13B5;  // Arm
  EXPECT_TRUE(legal({{"tiles", 2}, {"channel_blocks", 2}}));
  expect_refused(legal({}), "registers");
}

// A slice of a block: 16 products of 16 tiles, 16 bytes each, are 4096 bytes.
TEST_F(ConvWinogradTest, SlicesThatFitSharedMemory) {
  device_.limits.max_shared_memory_bytes = 4 * 4096;
  EXPECT_TRUE(legal({{"slice_blocks", 4}}));
  device_.limits.max_shared_memory_bytes -= 1;
  expect_refused(legal({{"slice_blocks", 4}}), "shared memory");
  EXPECT_TRUE(legal({{"slice_blocks", 2}}));
}

TEST_F(ConvWinogradTest, GroupsThatTheDeviceHas) {
  expect_refused(legal({{"tile_threads", 4}}), "group");  // 256 threads of 128
  device_.limits.max_group_invocations = 256;
  device_.limits.max_group_size = {256, 256, 64};
  EXPECT_TRUE(legal({{"tile_threads", 4}}));
}

TEST_F(ConvWinogradTest, ValuesThatMakeNoGroup) {
  expect_refused(legal({{"tiles", 3}, {"tiles_x", 4}}), "tiles_x");
  EXPECT_TRUE(legal({{"tiles", 3}, {"tiles_x", 3}}));
  for (const uint32_t value : {0U, 65U, 4294967295U}) {
    for (const Tunable& tunable : kernel_.tunables())
      expect_refused(legal({{std::string(tunable.name), value}}), tunable.name);
  }
}

TEST_F(ConvWinogradTest, WeightsBeyondTheBindingRange) {
  device_.limits.max_storage_buffer_range_bytes = 64ULL * 64 * 16 * 4;
  EXPECT_TRUE(legal({}));
  device_.limits.max_storage_buffer_range_bytes -= 1;
  expect_refused(legal({}), "weights");
}

// G applied to a column of ones is (1, 3/2, 1/2, 1); to one at the top (1, 1/2, 1/2, 0).
TEST_F(ConvWinogradTest, WeightsAreTransformedOnceForAll) {
  graph::Conv conv = conv_of(4, 5);
  std::vector<float> weights = *conv.weights;
  const auto kernel_at = [](size_t out, size_t in) { return (out * 4 + in) * 9; };
  for (size_t i = 0; i < 9; ++i) weights[kernel_at(1, 2) + i] = 1;
  weights[kernel_at(4, 3)] = 8;
  conv.weights = std::make_shared<std::vector<float>>(weights);
  const graph::Graph graph = graph_of(conv);
  const KernelChoice choice = kernel_.choose(graph, graph.nodes()[0], {});
  const auto bytes = kernel_.pack_constant_data(graph, graph.nodes()[0], choice).front();
  std::vector<float> packed(bytes.size() / sizeof(float));
  std::memcpy(packed.data(), bytes.data(), bytes.size());
  ASSERT_EQ(packed.size(), 4U * 16 * 8);
  constexpr std::array<float, 4> kOnes = {1, 1.5F, 0.5F, 1};
  constexpr std::array<float, 4> kCorner = {1, 0.5F, 0.5F, 0};
  std::vector<float> expected(packed.size());
  for (size_t product = 0; product < 16; ++product) {
    expected[(2 * 16 + product) * 8 + 1] = kOnes[product / 4] * kOnes[product % 4];
    expected[(3 * 16 + product) * 8 + 4] = 8 * kCorner[product / 4] * kCorner[product % 4];
  }
  EXPECT_EQ(packed, expected);
}

}  // namespace
}  // namespace upres::kernels
