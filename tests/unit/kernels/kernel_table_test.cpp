#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "kernels/cases.h"
#include "kernels/conv/conv_blocks.h"
#include "kernels/kernel.h"
#include "one_node.h"

namespace upres::kernels {
namespace {

// The least that Vulkan 1.1 promises (required limits of the specification).
DeviceInfo least_device() {
  DeviceInfo device;
  device.limits.max_storage_buffer_range_bytes = 1ULL << 27U;
  device.limits.max_shared_memory_bytes = 16384;
  device.limits.max_push_constant_bytes = 128;
  device.limits.max_group_invocations = 128;
  device.limits.max_group_size = {128, 128, 64};
  device.limits.max_group_count = {65535, 65535, 65535};
  return device;
}

TEST(KernelTable, IdsAreUniqueAndFound) {
  std::set<std::string_view> ids;
  for (const Kernel* kernel : all_kernels()) {
    EXPECT_TRUE(ids.insert(kernel->id()).second) << kernel->id();
    EXPECT_EQ(find_kernel(kernel->id()), kernel);
    EXPECT_FALSE(kernel->summary().empty());
    EXPECT_FALSE(kernel->family().empty());
  }
  EXPECT_EQ(find_kernel("no_such_kernel"), nullptr);
}

// Every operator of the cases has a kernel that is legal, untuned, on the weakest device that Vulkan allows:
// of those that need no matrices all are.
TEST(KernelTable, DefaultsAreLegalOnTheLeastDevice) {
  for (const KernelCase& test : kernel_cases({16, 8, 1})) {
    int kernels = 0;
    for (const Kernel* kernel : all_kernels()) {
      if (!kernel->computes(test.graph, test.node()) || !has_dtype(*kernel, DType::f32)) continue;
      ++kernels;
      const auto status = kernel->legal(test.graph, test.node(), least_device(), {});
      EXPECT_TRUE(status.has_value()) << test.line << ": " << (status ? "" : status.error().text());
    }
    const bool is_pair = std::holds_alternative<graph::ConvPair>(test.node().op);
    EXPECT_TRUE(kernels >= 1 || is_pair) << test.line;
  }
}

// The least device with all that kernels can ask for besides.
DeviceInfo least_device_with_matrices() {
  DeviceInfo device = least_device();
  device.limits.max_shared_memory_bytes = 49152;
  device.limits.max_group_invocations = 256;
  device.limits.max_group_size = {256, 256, 64};
  device.limits.fp16_storage = true;
  device.limits.fp16_arithmetic = true;
  device.limits.matrix_shapes = {{16, 16, 16}};
  return device;
}

TEST(KernelTable, MatricesAreAskedFor) {
  int kernels = 0;
  for (const KernelCase& test : kernel_cases({16, 8, 1})) {
    for (const Kernel* kernel : all_kernels()) {
      if (!kernel->computes(test.graph, test.node()) || has_dtype(*kernel, DType::f32)) continue;
      ++kernels;
      const Selection half = {.dtype = DType::f16};
      DeviceInfo device = least_device_with_matrices();
      EXPECT_TRUE(kernel->legal(test.graph, test.node(), device, half)) << kernel->id() << " " << test.line;
      device.limits.subgroup_size = 16;
      EXPECT_FALSE(kernel->legal(test.graph, test.node(), device, half)) << kernel->id();
      device = least_device_with_matrices();
      for (const std::vector<MatrixShape>& shapes :
           {std::vector<MatrixShape>{}, std::vector<MatrixShape>{{16, 8, 16}},
            std::vector<MatrixShape>{{.m = 16, .n = 16, .k = 16, .c = MatrixNumber::f16}}}) {
        device.limits.matrix_shapes = shapes;
        EXPECT_FALSE(kernel->legal(test.graph, test.node(), device, half)) << kernel->id();
      }
      device = least_device_with_matrices();
      device.limits.max_shared_memory_bytes = 1000;
      EXPECT_FALSE(kernel->legal(test.graph, test.node(), device, half)) << kernel->id();
    }
  }
  EXPECT_GT(kernels, 0);
}

TEST(KernelTable, TuningReplacesDefaultsByName) {
  const Kernel& conv = *find_kernel("conv_naive");
  EXPECT_EQ(group_size_of(complete_tuning(conv, {})), (GroupSize{16, 8, 1}));
  const std::vector<Tuning> tuning = {{"group_size_y", 2}, {"unknown_to_this_kernel", 5}};
  EXPECT_EQ(group_size_of(complete_tuning(conv, tuning)), (GroupSize{16, 2, 1}));
  EXPECT_EQ(complete_tuning(conv, tuning).size(), conv.tunables().size());
}

TEST(KernelTable, ImagesAreForThoseThatKeepThem) {
  DeviceInfo device;
  device.limits.max_group_invocations = 1024;
  device.limits.max_group_size = {1024, 1024, 64};
  device.limits.fp16_storage = device.limits.fp16_arithmetic = true;
  device.limits.max_shared_memory_bytes = 1 << 16;
  const std::vector<Tuning> images = {{std::string(kStorageTunable), kInImages}};
  for (const KernelCase& test : kernel_cases({16, 8, 1})) {
    if (test.line.find("16->16 kernel 3x3") == std::string::npos) continue;
    for (const char* id : {"conv_packed", "conv_register", "conv_tile"}) {
      const Kernel& kernel = *find_kernel(id);
      const auto all = kernel.reads(test.graph, test.node(), DType::f16);
      EXPECT_EQ(usable_storages(all, {}), (std::vector<Storage>{{Arrangement::packed, DType::f16}, {}}));
      EXPECT_EQ(usable_storages(all, images), (std::vector<Storage>{{Arrangement::image, DType::f16}, {}}));
      device.limits.storage_image_fp16 = false;
      const auto refused = kernel.legal(test.graph, test.node(), device, {images, DType::f16});
      ASSERT_FALSE(refused);
      EXPECT_NE(refused.error().message.find("storage_image_fp16"), std::string::npos);
      device.limits.storage_image_fp16 = true;
      EXPECT_TRUE(kernel.legal(test.graph, test.node(), device, {images, DType::f16}));
    }
    return;
  }
  ADD_FAILURE() << "no such case";
}

TEST(KernelTable, HalfSumsAreOfHalfAndOfFilesAlone) {
  const Kernel& packed = *find_kernel("conv_packed");
  const std::vector<Tuning> half = {{std::string(kHalfSums), 1}};
  EXPECT_TRUE(sums_in_half({half, DType::f16}));
  EXPECT_FALSE(sums_in_half({half, DType::f32}));
  EXPECT_FALSE(sums_in_half({{}, DType::f16}));
  for (size_t i = 0; i < combination_count(packed); ++i)
    ASSERT_FALSE(sums_in_half({combination(packed, i), DType::f16}));
}

class Legality : public testing::Test {
 protected:
  // The first case that this kernel computes.
  const KernelCase& case_of(const Kernel& kernel) {
    for (const KernelCase& test : cases_) {
      if (kernel.computes(test.graph, test.node())) return test;
    }
    ADD_FAILURE() << "no case for " << kernel.id();
    return cases_.front();
  }
  void expect_refused(const DeviceInfo& device, std::span<const Tuning> tuning, std::string_view word) {
    for (const Kernel* kernel : all_kernels()) {
      const bool is_tuned = std::ranges::all_of(tuning, [&](const Tuning& tuned) {
        return std::ranges::count(kernel->tunables(), tuned.name, &Tunable::name) > 0;
      });
      if (!is_tuned || !has_dtype(*kernel, DType::f32)) continue;  // the size of their groups is no tunable
      const KernelCase& test = case_of(*kernel);
      const auto status = kernel->legal(test.graph, test.node(), device, {.tuning = tuning});
      ASSERT_FALSE(status.has_value()) << kernel->id();
      EXPECT_EQ(status.error().code, ErrorCode::device);
      EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
      EXPECT_NE(status.error().message.find(kernel->id()), std::string::npos) << status.error().message;
    }
  }
  std::vector<KernelCase> cases_ = kernel_cases({16, 8, 1});
};

TEST_F(Legality, TooManyInvocations) {
  expect_refused(least_device(), std::vector<Tuning>{{"group_size_x", 64}, {"group_size_y", 4}}, "256");
}
TEST_F(Legality, GroupTooWide) {
  expect_refused(least_device(), std::vector<Tuning>{{"group_size_x", 256}, {"group_size_y", 1}}, "256");
}
TEST_F(Legality, GroupOfNothing) {
  expect_refused(least_device(), std::vector<Tuning>{{"group_size_x", 0}}, "is 0");
}
TEST_F(Legality, TooFewPushConstants) {
  DeviceInfo device = least_device();
  device.limits.max_push_constant_bytes = 16;
  expect_refused(device, {}, "push constants");
}

TEST_F(Legality, TooManyChannelsForTheGroupCount) {
  DeviceInfo device = least_device();
  device.limits.max_group_count = {65535, 65535, 63};
  const graph::Graph graph = one_node(graph::Clip{0, 1}, {planar(64)}, {planar(64)});
  EXPECT_FALSE(find_kernel("clip")->legal(graph, graph.nodes()[0], device, {}).has_value());
}

TEST_F(Legality, WeightsBeyondTheBindingRange) {
  DeviceInfo device = least_device();
  device.limits.max_storage_buffer_range_bytes = 100;
  const Kernel& conv = *find_kernel("conv_naive");
  const KernelCase& test = case_of(conv);
  const auto status = conv.legal(test.graph, test.node(), device, {});
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().message.find("weights"), std::string::npos);
}

// A kernel on blocks of channels, on a convolution of 64 channels to 64.
class BlockLegality : public testing::Test {
 protected:
  Status legal(std::string_view kernel, const std::vector<Tuning>& tuning, int kernel_size = 3) {
    graph::Conv conv{.in_channels = 64,
                     .out_channels = 64,
                     .kernel_height = kernel_size,
                     .kernel_width = kernel_size,
                     .padding = {},
                     .apply_relu = true,
                     .weights = {},
                     .biases = {}};
    const auto count = static_cast<size_t>(64 * 64 * kernel_size * kernel_size);
    conv.weights = std::make_shared<std::vector<float>>(count);
    conv.biases = std::make_shared<std::vector<float>>(64);
    const graph::Graph graph = one_node(conv, {planar(64)}, {planar(64)});
    return find_kernel(kernel)->legal(graph, graph.nodes()[0], device_, {.tuning = tuning});
  }
  void expect_refused(const Status& status, std::string_view word) {
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::device);
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
  }
  DeviceInfo device_ = least_device();
};

TEST_F(BlockLegality, TilesThatFitTheRegisters) {
  EXPECT_TRUE(legal("conv_register", {{"pixels_y", 8}, {"channel_blocks", 4}}));
  expect_refused(legal("conv_register", {{"pixels_x", 2}, {"pixels_y", 8}, {"channel_blocks", 4}}),
                 "registers");
  device_.vendor_id = 0x13B5;  // Arm
  EXPECT_TRUE(legal("conv_register", {{"pixels_y", 2}, {"channel_blocks", 2}}));
  expect_refused(legal("conv_register", {}), "registers");
  device_.kind = "software";  // has none
  EXPECT_TRUE(legal("conv_register", {{"pixels_x", 2}, {"pixels_y", 8}, {"channel_blocks", 4}}));
}

TEST_F(BlockLegality, LoopsThatCompile) {
  device_.kind = "software";
  expect_refused(legal("conv_register", {{"pixels_x", 64}, {"pixels_y", 64}}), "multiply-adds");
  EXPECT_TRUE(legal("conv_register", {{"pixels_y", 8}, {"channel_blocks", 4}}, 7));
  expect_refused(legal("conv_register", {{"pixels_y", 8}, {"channel_blocks", 4}}, 9), "multiply-adds");
}

TEST_F(BlockLegality, ValuesOfNothingOrBeyondAllReason) {
  for (const uint32_t value : {0U, 65U, 4294967295U}) {
    for (const char* name : {"pixels_x", "pixels_y", "channel_blocks"})
      expect_refused(legal("conv_register", {{name, value}}), name);
    for (const char* name : {"tile_blocks", "channel_blocks"})
      expect_refused(legal("conv_tile", {{name, value}}), name);
  }
}

// (16 + 2) * (8 + 2) pixels of 16 bytes are 2880 bytes a block; (16 + 10) * (8 + 10) are 7488.
TEST_F(BlockLegality, TilesThatFitSharedMemory) {
  device_.limits.max_shared_memory_bytes = 4 * 2880;
  EXPECT_TRUE(legal("conv_tile", {{"tile_blocks", 4}}));
  device_.limits.max_shared_memory_bytes -= 1;
  expect_refused(legal("conv_tile", {{"tile_blocks", 4}}), "shared memory");
  device_.limits.max_shared_memory_bytes = 16384;
  expect_refused(legal("conv_tile", {{"tile_blocks", 4}}, 11), "shared memory");
}

// 36 channels are 9 blocks: 3 a thread as well as 4 need three threads.
TEST(BlockConvs, ThreadsShareBlocksEvenly) {
  EXPECT_EQ(even_share(9, 4), 3U);
  EXPECT_EQ(even_share(3, 4), 3U);
  EXPECT_EQ(even_share(16, 4), 4U);
  EXPECT_EQ(even_share(1, 1), 1U);
  EXPECT_EQ(even_share(5, 2), 2U);
}

TEST(DeviceTensors, RowsOfPixelsArePaddedToFour) {
  EXPECT_EQ(device_row_bytes(pixels_of(DType::u8, 3), {5, 2}), 24U);
  EXPECT_EQ(device_bytes(pixels_of(DType::u8, 3), {5, 2}), 48U);
  EXPECT_EQ(device_row_bytes(pixels_of(DType::u16, 1), {1, 1}), 8U);
  EXPECT_EQ(device_row_bytes(planar(3), {5, 2}), 20U);
  EXPECT_EQ(device_bytes(planar(3), {5, 2}), 120U);
  EXPECT_EQ(device_bytes({DType::u32, Layout::flat, 4}, {1, 1}), 16U);
}

TEST(ModuleName, IsTheIdAndTheVariant) {
  EXPECT_EQ(module_name({.kernel = "encode", .variant = {}, .constants = {}, .group_size = {}}), "encode");
  EXPECT_EQ(module_name({.kernel = "encode", .variant = "side", .constants = {}, .group_size = {}}),
            "encode_side");
}

}  // namespace
}  // namespace upres::kernels
