#include "upscale/tiled_run.h"

#include <gtest/gtest.h>

#include <bit>
#include <tuple>
#include <utility>

#include "graph/extents.h"
#include "graph/picture.h"
#include "networks.h"
#include "reference_session.h"

namespace upres::upscale {
namespace {

constexpr int kFactor = 2;
constexpr Extent kInput = {23, 17};

Tensor random_pixels(const Extent& extent, int channels) {
  Tensor tensor({DType::u8, Layout::interleaved, channels}, extent);
  uint32_t state = 7;
  for (std::byte& sample : tensor.bytes) {
    state = state * 1664525U + 1013904223U;
    sample = std::byte(state >> 24U);
  }
  return tensor;
}

graph::Graph picture_graph(const std::optional<Extent>& resized) {
  graph::PictureOptions options;
  options.channels = 4;
  if (resized) options.resize = {kInput, *resized};
  return graph::attach_picture_ends(small_network(kFactor), options).value();
}

struct Outcome {
  Tensor picture;
  RunReport report;
};

Outcome run_with_tiles(const std::optional<Extent>& resized, int edge_px, int slots) {
  ReferenceSession session(picture_graph(resized), slots);
  const Extent output = resized.value_or(Extent{kInput.width_px * kFactor, kInput.height_px * kFactor});
  const auto grid =
      plan::make_tiles(kInput, output, graph::receptive_field(session.graph()), kFactor, edge_px).value();
  Outcome outcome;
  outcome.picture = Tensor({DType::u8, Layout::interleaved, 4}, output);
  const Tensor input = random_pixels(kInput, 4);
  outcome.report = run_tiles(session, grid, input.view(), outcome.picture.view()).value();
  EXPECT_EQ(session.in_flight(), 0U);
  EXPECT_LE(session.largest_in_flight, static_cast<size_t>(slots));
  EXPECT_EQ(session.submitted, grid.tiles.size());
  return outcome;
}

TEST(TiledRun, EveryTileSizeGivesTheSameBytes) {
  for (const auto& resized : {std::optional<Extent>(), std::optional(Extent{35, 25})}) {
    const Outcome whole = run_with_tiles(resized, 100, 1);
    for (const int edge_px : {19, 20, 22, 23}) {
      for (const int slots : {1, 3}) {
        const Outcome tiled = run_with_tiles(resized, edge_px, slots);
        EXPECT_EQ(tiled.picture.bytes, whole.picture.bytes)
            << edge_px << " " << slots << " " << resized.has_value();
      }
    }
  }
}

TEST(TiledRun, ReportsAreAddedUp) {
  const Outcome outcome = run_with_tiles({}, 12, 2);
  EXPECT_GT(outcome.report.times.compute_ms, 1);
  EXPECT_EQ(outcome.report.times.total_ms, 2 * outcome.report.times.compute_ms);
  ASSERT_EQ(outcome.report.times.steps.size(), 1U);
  EXPECT_EQ(outcome.report.times.steps[0].device_ms, outcome.report.times.compute_ms);
  EXPECT_EQ(outcome.report.times.steps[0].bytes,
            static_cast<uint64_t>(100 * outcome.report.times.compute_ms));
  EXPECT_TRUE(outcome.report.statistics.any_finite);
  EXPECT_LT(outcome.report.statistics.smallest, outcome.report.statistics.largest);
}

TEST(TiledRun, PicturesInARowOverlapAndAreWhatTheyAreAlone) {
  constexpr Extent kOutput{kInput.width_px * kFactor, kInput.height_px * kFactor};
  for (const int edge_px : {14, 100}) {
    ReferenceSession session(picture_graph({}), 2);
    const auto grid =
        plan::make_tiles(kInput, kOutput, graph::receptive_field(session.graph()), kFactor, edge_px).value();
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs(4, Tensor({DType::u8, Layout::interleaved, 4}, kOutput));
    std::vector<Picture> pictures;
    for (size_t i = 0; i < outputs.size(); ++i) {
      inputs.push_back(random_pixels(kInput, 4));
      inputs.back().bytes[i] = std::byte{77};
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      pictures.push_back({std::as_const(inputs[i]).view(), outputs[i].view()});
    int64_t done = 0;
    int64_t total = 0;
    size_t jobs = 0;
    RunCallbacks callbacks;
    callbacks.progress = [&](int64_t done_px, int64_t total_px) {
      std::tie(done, total) = std::tie(done_px, total_px);
    };
    callbacks.tile_done = [&](const session::JobReport&) { ++jobs; };
    ASSERT_TRUE(run_pictures(session, grid, pictures, callbacks));
    EXPECT_EQ(session.largest_in_flight, 2U);  // also where a picture is one window
    EXPECT_EQ(jobs, 4 * grid.tiles.size());
    EXPECT_EQ(total, 4 * int64_t{kOutput.width_px} * kOutput.height_px);
    EXPECT_EQ(done, total);
    for (size_t i = 0; i < outputs.size(); ++i) {
      Tensor alone({DType::u8, Layout::interleaved, 4}, kOutput);
      ASSERT_TRUE(run_tiles(session, grid, std::as_const(inputs[i]).view(), alone.view()));
      EXPECT_EQ(outputs[i].bytes, alone.bytes) << i;
    }
  }
}

TEST(TiledRun, PlanarNetworksToo) {
  ReferenceSession session(small_network(3));
  const Extent output{kInput.width_px * 3, kInput.height_px * 3};
  Tensor input({DType::f32, Layout::planar, 1}, kInput);
  for (size_t i = 0; i < input.as<float>().size(); ++i)
    input.as<float>()[i] = static_cast<float>(i % 17) / 16;
  const auto expected = kernels::run_reference(session.graph(), std::array{input}).value().front();
  Tensor actual({DType::f32, Layout::planar, 1}, output);
  const auto grid = plan::make_tiles(kInput, output, graph::receptive_field(session.graph()), 3, 9).value();
  ASSERT_GT(grid.tiles.size(), 3U);
  ASSERT_TRUE(run_tiles(session, grid, std::as_const(input).view(), actual.view()));
  EXPECT_EQ(actual.bytes, expected.bytes);
}

TEST(TiledRun, AFailedSubmitLeavesNothingInFlight) {
  ReferenceSession session(picture_graph({}), 3);
  session.fail_at = 3;
  const Extent output{kInput.width_px * kFactor, kInput.height_px * kFactor};
  const auto grid =
      plan::make_tiles(kInput, output, graph::receptive_field(session.graph()), kFactor, 10).value();
  ASSERT_GT(grid.tiles.size(), 3U);
  Tensor picture({DType::u8, Layout::interleaved, 4}, output);
  const Tensor input = random_pixels(kInput, 4);
  const auto report = run_tiles(session, grid, input.view(), picture.view());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::device);
  EXPECT_EQ(session.in_flight(), 0U);
  EXPECT_EQ(session.submitted, 3U);
}

TEST(TiledRun, StopsWhenToldAndTellsHowFarItIs) {
  ReferenceSession session(picture_graph({}), 1);
  const Extent output{kInput.width_px * kFactor, kInput.height_px * kFactor};
  const auto grid =
      plan::make_tiles(kInput, output, graph::receptive_field(session.graph()), kFactor, 12).value();
  Tensor picture({DType::u8, Layout::interleaved, 4}, output);
  const Tensor input = random_pixels(kInput, 4);
  int64_t last_px = 0;
  int64_t total_px = 0;
  RunCallbacks callbacks;
  callbacks.progress = [&](int64_t done, int64_t total) {
    EXPECT_GT(done, last_px);
    last_px = done;
    total_px = total;
  };
  ASSERT_TRUE(run_tiles(session, grid, input.view(), picture.view(), callbacks));
  EXPECT_EQ(last_px, total_px);
  EXPECT_EQ(total_px, int64_t{output.width_px} * output.height_px);

  session.submitted = 0;
  last_px = 0;
  callbacks.cancelled = [&] { return session.submitted == 2; };
  const auto stopped = run_tiles(session, grid, input.view(), picture.view(), callbacks);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(session.submitted, 2U);
  EXPECT_EQ(session.in_flight(), 0U);
}

}  // namespace
}  // namespace upres::upscale
