// What conv_matrix makes of convolutions that no other kernel on matrices computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "kernels/conv/fragments.h"
#include "kernels/kernel.h"
#include "one_node.h"

namespace upres::kernels {
namespace {

const Kernel& conv_matrix() { return *find_kernel("conv_matrix"); }

graph::Conv conv_of(int in_channels, int out_channels, int kernel_size) {
  const auto count = static_cast<size_t>(in_channels * out_channels * kernel_size * kernel_size);
  return {.in_channels = in_channels,
          .out_channels = out_channels,
          .kernel_height = kernel_size,
          .kernel_width = kernel_size,
          .padding = {},
          .apply_relu = true,
          .weights = std::make_shared<std::vector<float>>(count),
          .biases = std::make_shared<std::vector<float>>(static_cast<size_t>(out_channels))};
}

graph::Graph graph_of(const graph::Conv& conv) {
  return one_node(conv, {planar(conv.in_channels)},
                  {planar(conv.out_channels / (conv.shuffle.block * conv.shuffle.block))});
}

DeviceInfo matrix_device() {
  DeviceInfo device;
  device.limits.max_storage_buffer_range_bytes = 1ULL << 27U;
  device.limits.max_shared_memory_bytes = 49152;
  device.limits.max_push_constant_bytes = 128;
  device.limits.max_group_invocations = 256;
  device.limits.max_group_size = {256, 256, 64};
  device.limits.max_group_count = {65535, 65535, 65535};
  device.limits.fp16_storage = true;
  device.limits.fp16_arithmetic = true;
  device.limits.matrix_shapes = {{16, 16, 16}};
  return device;
}

Status legal(const graph::Conv& conv, const DeviceInfo& device, const std::vector<Tuning>& tuning = {}) {
  const graph::Graph graph = graph_of(conv);
  return conv_matrix().legal(graph, graph.nodes()[0], device, {.tuning = tuning, .dtype = DType::f16});
}

KernelChoice choice_of(const graph::Conv& conv) {
  const graph::Graph graph = graph_of(conv);
  return conv_matrix().choose(graph, graph.nodes()[0],
                              all_selections(conv_matrix(), graph, graph.nodes()[0]).front());
}

TEST(ConvMatrix, ComputesWhatHasAMultipleOfSixteenOnASide) {
  for (const auto& [in, out, computes] : {std::tuple{15, 15, false},
                                          {16, 1, true},
                                          {1, 16, true},
                                          {48, 36, true},
                                          {56, 12, false},
                                          {18, 32, true}}) {
    const graph::Graph graph = graph_of(conv_of(in, out, 3));
    EXPECT_EQ(conv_matrix().computes(graph, graph.nodes()[0]), computes) << in << "->" << out;
  }
}

TEST(ConvMatrix, TilesThatFitSharedMemory) {
  for (const int kernel_size : {1, 2, 3, 5, 9})
    EXPECT_TRUE(legal(conv_of(64, 64, kernel_size), matrix_device()));
  const auto status = legal(conv_of(16, 16, 41), matrix_device());
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("shared memory"), std::string::npos) << status.error().message;
  // (34 x 10 pixels of 48 bytes) + (2 chunks of 3 taps of 16 rows of 144 bytes)
  DeviceInfo device = matrix_device();
  device.limits.max_shared_memory_bytes = 34 * 10 * 48 + 2 * 3 * 16 * 144;
  EXPECT_TRUE(legal(conv_of(64, 64, 3), device));
  --device.limits.max_shared_memory_bytes;
  EXPECT_FALSE(legal(conv_of(64, 64, 3), device));
}

TEST(ConvMatrix, OnlyFragmentsWithAModule) {
  for (const Tuning& tuning : {Tuning{"pixel_fragments", 0}, Tuning{"pixel_fragments", 3},
                               Tuning{"channel_fragments", 8}, Tuning{"subgroups", 1}}) {
    EXPECT_FALSE(legal(conv_of(64, 64, 3), matrix_device(), {tuning})) << tuning.name << " " << tuning.value;
  }
  for (size_t i = 0; i < combination_count(conv_matrix()); ++i)
    EXPECT_TRUE(legal(conv_of(64, 64, 3), matrix_device(), combination(conv_matrix(), i))) << i;
}

TEST(ConvMatrix, GroupsShareTheChannelsEvenly) {
  const auto expect = [](int out_channels, std::string_view variant, uint32_t groups) {
    const KernelChoice choice = choice_of(conv_of(16, out_channels, 3));
    EXPECT_EQ(choice.variant, variant) << out_channels;
    EXPECT_EQ(choice.constant("channel_groups"), groups) << out_channels;
  };
  expect(16, "4x1", 1);
  expect(48, "4x3", 1);
  expect(64, "4x4", 1);
  expect(80, "4x3", 2);
  expect(256, "4x4", 4);
  expect(9, "4x1_to_planes", 1);
  EXPECT_EQ(choice_of(conv_of(3, 48, 3)).variant, "4x3_from_planes");
  EXPECT_EQ(choice_of(conv_of(18, 32, 3)).variant, "4x2_from_planes");
}

TEST(ConvMatrix, ShuffledChannelsArePlanes) {
  graph::Conv conv = conv_of(64, 256, 3);
  conv.shuffle = {2, graph::ShuffleMode::crd};
  const graph::Graph graph = graph_of(conv);
  EXPECT_EQ(conv_matrix().writes(graph, graph.nodes()[0], DType::f16), std::vector{Storage{}});
  const std::vector<Storage> reads = {kPixelMajorHalf, Storage{}};
  EXPECT_EQ(conv_matrix().reads(graph, graph.nodes()[0], DType::f16), reads);
}

// [in / 16][kernel y][kernel x][out / 16][16 in][16 out]
TEST(ConvMatrix, WeightsLieBySlices) {
  graph::Conv conv = conv_of(18, 32, 3);
  const auto weight = [&](int out, int in, int ky, int kx) {
    return static_cast<size_t>(((out * conv.in_channels + in) * 3 + ky) * 3 + kx);
  };
  auto weights = std::make_shared<std::vector<float>>(*conv.weights);
  (*weights)[weight(19, 17, 1, 2)] = 0.5F;
  conv.weights = weights;
  const graph::Graph graph = graph_of(conv);
  const auto packed = conv_matrix().pack_constant_data(graph, graph.nodes()[0], choice_of(conv));
  const size_t place = ((((1 * 3 + 1) * 3 + 2) * 2 + 1) * 16 + 1) * 16 + 3;
  ASSERT_EQ(packed[0].size(), size_t{2} * 9 * 2 * 256 * sizeof(uint16_t));
  for (size_t i = 0; i < packed[0].size() / sizeof(uint16_t); ++i) {
    uint16_t half = 0;
    std::memcpy(&half, packed[0].data() + i * sizeof(half), sizeof(half));
    EXPECT_EQ(half, i == place ? 0x3800 : 0) << i;
  }
  EXPECT_EQ(packed[1].size(), 32 * sizeof(float));
}

}  // namespace
}  // namespace upres::kernels
