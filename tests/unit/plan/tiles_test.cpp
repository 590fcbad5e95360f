#include "plan/tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/extents.h"
#include "kernels/reference.h"
#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

using ::testing::HasSubstr;
using testing::Random;
using testing::random_network;

// How often each pixel of the result is kept.
std::vector<int> kept_counts(const TileGrid& grid, const Extent& output) {
  std::vector<int> counts(static_cast<size_t>(output.width_px) * static_cast<size_t>(output.height_px));
  for (const Tile& tile : grid.tiles) {
    for (int y = tile.keep.y_px; y < tile.keep.y_px + tile.keep_extent.height_px; ++y) {
      for (int x = tile.keep.x_px; x < tile.keep.x_px + tile.keep_extent.width_px; ++x) {
        ++counts[static_cast<size_t>(y) * static_cast<size_t>(output.width_px) + static_cast<size_t>(x)];
      }
    }
  }
  return counts;
}

void expect_inside(int begin, int size, int outer_begin, int outer_size) {
  EXPECT_GE(begin, outer_begin);
  EXPECT_GT(size, 0);
  EXPECT_LE(begin + size, outer_begin + outer_size);
}

void expect_sound(const TileGrid& grid, const Extent& input, const Extent& output, int edge_px) {
  EXPECT_LE(grid.input_window.width_px, std::min(edge_px, input.width_px));
  EXPECT_LE(grid.input_window.height_px, std::min(edge_px, input.height_px));
  for (const Tile& tile : grid.tiles) {
    expect_inside(tile.input.x_px, grid.input_window.width_px, 0, input.width_px);
    expect_inside(tile.input.y_px, grid.input_window.height_px, 0, input.height_px);
    EXPECT_EQ(tile.input.x_px % 2, 0);
    EXPECT_EQ(tile.input.y_px % 2, 0);
    expect_inside(tile.output.x_px, grid.output_window.width_px, 0, output.width_px);
    expect_inside(tile.output.y_px, grid.output_window.height_px, 0, output.height_px);
    expect_inside(tile.keep.x_px, tile.keep_extent.width_px, tile.output.x_px, grid.output_window.width_px);
    expect_inside(tile.keep.y_px, tile.keep_extent.height_px, tile.output.y_px, grid.output_window.height_px);
  }
  const auto counts = kept_counts(grid, output);
  EXPECT_TRUE(std::all_of(counts.begin(), counts.end(), [](int count) { return count == 1; }));
}

graph::Halo random_halo(Random& random) {
  return {random.between(0, 6), random.between(0, 6), random.between(0, 6), random.between(0, 6)};
}

TEST(Tiles, KeptPartsCoverTheResultOnce) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const Extent input{random.between(1, 60), random.between(1, 40)};
    const int factor = random.between(1, 4);
    Extent output{input.width_px * factor, input.height_px * factor};
    if (random.coin()) output = {random.between(1, 150), random.between(1, 150)};
    const graph::Halo halo = random_halo(random);
    const int smallest =
        std::max(halo.left_px + halo.right_px, halo.top_px + halo.bottom_px) + 1 + kEvenRoom_px;
    const int edge = smallest + random.between(0, 30);
    const auto grid = make_tiles(input, output, halo, factor, edge);
    ASSERT_TRUE(grid) << grid.error().text();
    expect_sound(*grid, input, output, edge);
    if (::testing::Test::HasFailure()) FAIL() << "case " << i;
  }
}

// The input pixels that one pixel of the result depends on, along one axis, from the definitions alone:
// convolutions
// (`before` and `after` input pixels in all), an enlargement by `factor`, a Lanczos resampling of its result.
struct Needed {
  int first = 0;
  int last = 0;
};

Needed needed_of(int index, int input, int output, int factor, int before, int after) {
  const int enlarged = input * factor;
  double first = index;
  double last = index;
  if (output != enlarged) {
    const double step = static_cast<double>(enlarged) / output;
    const double centre = (index + 0.5) * step - 0.5;
    const double reach = 3 * std::max(1.0, step);
    first = std::floor(centre - reach) + 1;  // |distance| < reach
    last = std::ceil(centre + reach) - 1;
  }
  const auto source = [&](double sample) {
    return static_cast<int>(std::clamp(sample, 0.0, enlarged - 1.0)) / factor;
  };
  return {std::max(0, source(first) - before), std::min(input - 1, source(last) + after)};
}

struct Axis {
  int input, output, window, begin, keep, keep_size;
};

void expect_enough_input(const Axis& axis, int factor, int before, int after) {
  for (int i = axis.keep; i < axis.keep + axis.keep_size; ++i) {
    const Needed needed = needed_of(i, axis.input, axis.output, factor, before, after);
    ASSERT_GE(needed.first, axis.begin) << i << " of " << axis.output;
    ASSERT_LT(needed.last, axis.begin + axis.window) << i << " of " << axis.output;
  }
}

TEST(Tiles, WindowsHoldAllThatKeptPixelsNeed) {
  Random random(2);
  for (int i = 0; i < 400; ++i) {
    const int factor = random.between(1, 4);
    const graph::Graph network = random_network(random, 1, factor);
    const graph::Halo reach = graph::receptive_field(network);
    const Extent input{random.between(1, 90), random.between(1, 90)};
    graph::PictureOptions options{.channels = 1};
    Extent output{input.width_px * factor, input.height_px * factor};
    if (random.coin()) {
      output = {random.between(1, 2 * output.width_px), random.between(1, 2 * output.height_px)};
      if (output == Extent{input.width_px * factor, input.height_px * factor}) continue;
      options.resize = {input, output};
    }
    const graph::Halo halo = graph::receptive_field(testing::with_ends(network, options));
    const int smallest =
        std::max(halo.left_px + halo.right_px, halo.top_px + halo.bottom_px) + 1 + kEvenRoom_px;
    const auto grid = make_tiles(input, output, halo, factor, smallest + random.between(0, 30));
    ASSERT_TRUE(grid) << grid.error().text();
    for (const Tile& tile : grid->tiles) {
      expect_enough_input({input.width_px, output.width_px, grid->input_window.width_px, tile.input.x_px,
                           tile.keep.x_px, tile.keep_extent.width_px},
                          factor, reach.left_px, reach.right_px);
      expect_enough_input({input.height_px, output.height_px, grid->input_window.height_px, tile.input.y_px,
                           tile.keep.y_px, tile.keep_extent.height_px},
                          factor, reach.top_px, reach.bottom_px);
      if (::testing::Test::HasFatalFailure()) FAIL() << "case " << i << ", factor " << factor;
    }
  }
}

Tensor run_whole(const graph::Graph& graph, const Tensor& picture, const Extent& resampled) {
  const auto outputs = kernels::run_reference(graph, std::vector{picture}, {{}, {}, resampled});
  EXPECT_TRUE(outputs) << outputs.error().text();
  return outputs->front();
}

Tensor run_tiles(const graph::Graph& graph, const Tensor& picture, const TileGrid& grid, bool resized,
                 Tensor result) {
  for (const Tile& tile : grid.tiles) {
    const Tensor window = testing::crop(picture, tile.input, grid.input_window);
    const kernels::JobWindow job{tile.input, resized ? tile.output : Origin{},
                                 resized ? grid.output_window : Extent{}};
    const auto outputs = kernels::run_reference(graph, std::vector{window}, job);
    EXPECT_TRUE(outputs) << outputs.error().text();
    const Origin from{tile.keep.x_px - tile.output.x_px, tile.keep.y_px - tile.output.y_px};
    testing::paste(outputs->front(), from, tile.keep_extent, tile.keep, result);
  }
  return result;
}

TEST(Tiles, AreInvisibleToTheBit) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const int factor = random.between(1, 3);
    graph::PictureOptions options{.channels = random.between(1, 4)};
    const Extent input{random.between(1, 50), random.coin() ? 1 : random.between(1, 30)};
    Extent output{input.width_px * factor, input.height_px * factor};
    const bool resized = random.coin();
    if (resized) {
      output = {1 + output.width_px * random.between(30, 170) / 100,
                1 + output.height_px * random.between(30, 170) / 100};
      options.resize = {input, output};
    }
    const int colors = random.coin() && options.channels >= 3 ? 3 : 1;
    const graph::Graph graph = testing::with_ends(random_network(random, colors, factor), options);
    const graph::Halo halo = graph::receptive_field(graph);
    const int smallest =
        std::max(halo.left_px + halo.right_px, halo.top_px + halo.bottom_px) + 1 + kEvenRoom_px;
    const auto grid = make_tiles(input, output, halo, factor, smallest + random.between(0, 8));
    ASSERT_TRUE(grid) << grid.error().text();
    const Tensor picture = testing::random_tensor(random, graph.value(graph.inputs().front()).type, input);
    const Tensor whole = run_whole(graph, picture, resized ? output : Extent{});
    ASSERT_EQ(whole.extent, output);
    const Tensor tiled = run_tiles(graph, picture, *grid, resized, Tensor(whole.type, output));
    ASSERT_EQ(tiled.bytes, whole.bytes) << "case " << i << ": " << grid->tiles.size() << " tiles";
  }
}

TEST(Tiles, AsFewAsTheEdgeAllowsAndNoLargerThanNeeded) {
  const graph::Halo halo{2, 2, 2, 2};
  // 100 pixels by windows of 60: two suffice, of 52 each.
  const auto grid = make_tiles({100, 10}, {200, 20}, halo, 2, 60);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->tiles.size(), 2U);
  EXPECT_EQ(grid->input_window, (Extent{52, 10}));
  EXPECT_EQ(grid->output_window, (Extent{104, 20}));
  const auto whole = make_tiles({100, 10}, {200, 20}, halo, 2, 100000);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->tiles.size(), 1U);
  EXPECT_EQ(whole->input_window, (Extent{100, 10}));
}

TEST(Tiles, TooSmallEdgesAreRefused) {
  const auto at_halo = make_tiles({100, 100}, {200, 200}, {4, 4, 4, 4}, 2, 8);
  ASSERT_FALSE(at_halo);
  EXPECT_EQ(at_halo.error().code, ErrorCode::usage);
  EXPECT_THAT(at_halo.error().message, HasSubstr("tile size 8 is too small"));
  EXPECT_THAT(at_halo.error().message, HasSubstr("so at least 11"));
  EXPECT_TRUE(make_tiles({100, 100}, {200, 200}, {4, 4, 4, 4}, 2, 11));
  // A picture that fits whole needs no overlap.
  EXPECT_TRUE(make_tiles({8, 8}, {16, 16}, {4, 4, 4, 4}, 2, 8));
  EXPECT_FALSE(make_tiles({100, 100}, {200, 200}, {}, 2, 0));
  EXPECT_FALSE(make_tiles({100, 100}, {200, 200}, {}, 2, -5));
  EXPECT_FALSE(make_tiles({0, 100}, {0, 200}, {}, 2, 10));
}

TEST(Tiles, HugePictures) {
  constexpr int kSide = (1 << 30) - 1;
  EXPECT_FALSE(make_tiles({kSide, kSide}, {2 * kSide, 2 * kSide}, {6, 6, 6, 6}, 2, 13));
  for (const int width : {2 * kSide, 2 * kSide + 1}) {
    const auto grid = make_tiles({kSide, 3}, {width, 6}, {6, 6, 6, 6}, 2, 1 << 16);
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->tiles.back().keep.x_px + grid->tiles.back().keep_extent.width_px, width);
  }
}

}  // namespace
}  // namespace upres::plan
