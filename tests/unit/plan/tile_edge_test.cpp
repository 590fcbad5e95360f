#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/extents.h"
#include "plan/plan.h"
#include "plan/tiles.h"
#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

using testing::espcn;
using ::testing::HasSubstr;
using testing::with_ends;

constexpr uint64_t kMiB = uint64_t{1} << 20;

kernels::DeviceLimits roomy() {
  kernels::DeviceLimits limits;
  limits.max_storage_buffer_range_bytes = uint64_t{1} << 40;
  limits.max_buffer_bytes = uint64_t{1} << 40;
  limits.memory_budget_bytes = uint64_t{1} << 40;
  limits.max_group_count = {~0U, ~0U, ~0U};
  return limits;
}

Result<int> edge_of(const graph::Graph& graph, const Extent& picture, const kernels::DeviceLimits& limits,
                    int slots = 2) {
  return choose_tile_edge(graph, picture, limits, slots);
}

TEST(TileEdge, AtMostThePicture) {
  const graph::Graph graph = with_ends(espcn(1, 1, 3, 64));
  EXPECT_EQ(edge_of(graph, {1000, 700}, roomy()), 1000);
  EXPECT_EQ(edge_of(graph, {3, 3000}, roomy()), 3000);
  EXPECT_EQ(edge_of(graph, {1, 1}, roomy()), 1);
}

TEST(TileEdge, TheBindingRangeLimitsTheLargestTensor) {
  const graph::Graph graph = with_ends(espcn(1, 1, 3, 64));
  kernels::DeviceLimits limits = roomy();
  limits.max_storage_buffer_range_bytes = 128 * kMiB;
  // 64 channels of 4 bytes: 128 MiB are 2^19 pixels, a square of 724.
  EXPECT_EQ(edge_of(graph, {10000, 10000}, limits), 724);
  // Of a picture 10 pixels high a window may be long.
  EXPECT_EQ(edge_of(graph, {100000, 10}, limits), 52428);
}

TEST(TileEdge, GroupCountsLimitRows) {
  const graph::Graph graph = with_ends(espcn(1, 1, 3, 64));
  kernels::DeviceLimits limits = roomy();
  limits.max_group_count = {65535, 65535, 65535};
  EXPECT_EQ(edge_of(graph, {100000, 1}, limits), 21845);
}

TEST(TileEdge, ImagesAreNoLargerThanTheDeviceHasThem) {
  const graph::Graph graph = with_ends(espcn(1, 1, 3, 64));
  kernels::DeviceLimits limits = roomy();
  limits.max_image_dimension_3d = 512;
  EXPECT_EQ(choose_tile_edge(graph, {1000, 700}, limits, 2, true), 512);
  EXPECT_EQ(choose_tile_edge(graph, {1000, 700}, limits, 2, false), 1000);
  limits.max_image_dimension_3d = 8;  // blocks of four channels: 16
  const auto deep = choose_tile_edge(graph, {1000, 700}, limits, 2, true);
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error().message, HasSubstr("max_image_dimension_3d of 8"));
  // Images do not share memory with other tensors.
  limits.max_image_dimension_3d = 1 << 20;
  limits.memory_budget_bytes = 64 * kMiB;
  EXPECT_LE(*choose_tile_edge(graph, {1000, 700}, limits, 2, true), *edge_of(graph, {1000, 700}, limits));
}

TEST(TileEdge, TheBudgetIsForAllSlots) {
  const graph::Graph graph = with_ends(espcn(1, 1, 2, 16));
  kernels::DeviceLimits limits = roomy();
  limits.memory_budget_bytes = 64 * kMiB;
  const auto one = edge_of(graph, {10000, 10000}, limits, 1);
  const auto four = edge_of(graph, {10000, 10000}, limits, 4);
  ASSERT_TRUE(one && four);
  // A quarter of the memory, half the edge.
  EXPECT_NEAR(static_cast<double>(*one) / *four, 2.0, 0.05);
}

TEST(TileEdge, WhatIsChosenCanBePlannedAndNotMuchMore) {
  kernels::DeviceInfo device;
  device.name = "small";
  device.limits.max_storage_buffer_range_bytes = kMiB;
  device.limits.max_buffer_bytes = 3 * kMiB;
  const Extent picture{700, 500};
  for (const bool resized : {false, true}) {
    graph::PictureOptions options;
    const Extent output = resized ? Extent{1100, 760} : Extent{1400, 1000};
    if (resized) options.resize = {picture, output};
    const graph::Graph graph = with_ends(espcn(1, 1, 2, 16), options);
    const auto edge = edge_of(graph, picture, device.limits);
    ASSERT_TRUE(edge) << edge.error().text();
    const auto chosen = choose_kernels(graph, device, devicedb::Database::embedded());
    ASSERT_TRUE(chosen) << chosen.error().text();
    const auto plan_at = [&](int edge_px) {
      const auto grid = make_tiles(picture, output, graph::receptive_field(graph), 2, edge_px);
      EXPECT_TRUE(grid);
      const std::vector inputs = {grid->input_window};
      return make_plan(*chosen, inputs, resized ? grid->output_window : Extent{});
    };
    const auto plan = plan_at(*edge);
    EXPECT_TRUE(plan) << plan.error().text();
    EXPECT_FALSE(plan_at(2 * *edge));
  }
}

TEST(TileEdge, NothingFits) {
  const graph::Graph graph = with_ends(espcn(1, 1, 3, 64));
  kernels::DeviceLimits limits = roomy();
  limits.max_storage_buffer_range_bytes = 1000;
  const auto range = edge_of(graph, {100, 100}, limits);
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().code, ErrorCode::device);
  EXPECT_THAT(range.error().message, HasSubstr("max_storage_buffer_range_bytes of 1000"));
  limits = roomy();
  limits.memory_budget_bytes = 1000;
  const auto budget = edge_of(graph, {100, 100}, limits);
  ASSERT_FALSE(budget);
  EXPECT_THAT(budget.error().message, HasSubstr("memory_budget_bytes of 1000"));
  EXPECT_FALSE(edge_of(graph, {0, 100}, roomy()));
  EXPECT_FALSE(edge_of(graph, {100, 100}, roomy(), 0));
}

TEST(TileEdge, PicturesThatOverflow) {
  const graph::Graph graph = with_ends(espcn(1, 1, 4, 64));
  const auto edge = edge_of(graph, {500000000, 500000000}, roomy());
  ASSERT_TRUE(edge) << edge.error().text();
  kernels::DeviceLimits limits;
  EXPECT_TRUE(edge_of(graph, {500000000, 500000000}, limits));
}

}  // namespace
}  // namespace upres::plan
