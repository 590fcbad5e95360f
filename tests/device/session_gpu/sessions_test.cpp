// Whole networks through the session, against the plain reference.
#include <gmock/gmock.h>

#include <cstring>

#include "device/session_gpu/session_fixture.h"
#include "plan/tiles.h"

namespace upres::session {
namespace {

using testing::Random;
using testing::random_network;
using testing::with_ends;

// Between kernels and devices fp32 results differ by rounding alone: at most one level of 255.
constexpr double kOneLevel = 1.0;
// Of raw networks: 1e-4 of the range.
constexpr double kRawTolerance = 1e-4;

void expect_near_reference(GpuSession& session, const std::vector<Tensor>& inputs,
                           const kernels::JobWindow& window, double tolerance) {
  const auto expected = kernels::run_reference(session.graph(), inputs, window);
  ASSERT_TRUE(expected) << expected.error().text();
  const auto outputs = run_session(session, inputs, window);
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i].extent, (*expected)[i].extent);
    EXPECT_LE(difference(outputs[i], (*expected)[i]), tolerance) << "output " << i;
  }
}

class Sessions : public OnEveryDevice {};

TEST_F(Sessions, PicturesOfEveryKind) {
  for_each_device([](const vkc::Device& device) {
    Random random(11);
    for (const int channels : {1, 2, 3, 4}) {
      for (const int colors : {1, 3}) {
        const int factor = random.between(1, 4);
        const DType in_dtype = random.coin() ? DType::u8 : DType::u16;
        const DType out_dtype = random.coin() ? DType::u8 : DType::u16;
        const auto graph = with_ends(random_network(random, colors, factor),
                                     {.channels = channels, .in_dtype = in_dtype, .out_dtype = out_dtype});
        const auto session = make_session(device, graph, {.always_copy = random.coin()});
        ASSERT_TRUE(session);
        for (const Extent extent :
             {Extent{1, 1}, Extent{7, 1}, Extent{1, 9}, Extent{13, 11}, Extent{37, 23}}) {
          SCOPED_TRACE(::testing::Message() << channels << " channels, " << colors << " colors, x" << factor
                                            << ", " << extent.width_px << "x" << extent.height_px);
          expect_near_reference(*session, random_inputs(random, graph, extent), {}, kOneLevel);
        }
      }
    }
  });
}

TEST_F(Sessions, ResizedPictures) {
  for_each_device([](const vkc::Device& device) {
    Random random(12);
    for (const Extent output : {Extent{29, 31}, Extent{5, 4}, Extent{53, 14}}) {
      const Extent input{19, 17};
      graph::PictureOptions options{.channels = random.between(1, 4)};
      options.resize = {input, output};
      const auto graph = with_ends(random_network(random, 1, 2), options);
      const auto session = make_session(device, graph, {.always_copy = random.coin()});
      ASSERT_TRUE(session);
      expect_near_reference(*session, random_inputs(random, graph, input), {{}, {}, output}, kOneLevel);
    }
  });
}

// More rows or columns than a dispatch may have groups on many devices.
TEST_F(Sessions, PicturesOfOneRowOrColumn) {
  for_each_device([](const vkc::Device& device) {
    Random random(19);
    const auto graph =
        with_ends(testing::make_network(random, 1, 1, {{1, 3, 3, {1, 1, 1, 1}, false}}), {.channels = 1});
    const auto session = make_session(device, graph);
    ASSERT_TRUE(session);
    for (const Extent extent : {Extent{1, 70000}, Extent{70000, 1}}) {
      expect_near_reference(*session, random_inputs(random, graph, extent), {}, kOneLevel);
    }
  });
}

TEST_F(Sessions, RawNetworks) {
  for_each_device([](const vkc::Device& device) {
    Random random(13);
    const auto graph = testing::espcn(5, 3, 2, 8);
    const auto session = make_session(device, graph);
    ASSERT_TRUE(session);
    expect_near_reference(*session, random_inputs(random, graph, {21, 15}), {}, kRawTolerance);
    EXPECT_EQ(session->precision(), "fp32");
    EXPECT_EQ(session->device_name(), device.properties().name);
  });
}

TEST_F(Sessions, ANetworkThatDoesNothing) {
  graph::Graph graph;
  graph.add_value("picture", {DType::f32, Layout::planar, 2});
  graph.add_input(0);
  graph.add_output(0);
  for_each_device([&](const vkc::Device& device) {
    Random random(14);
    const auto session = make_session(device, graph);
    ASSERT_TRUE(session);
    const auto inputs = random_inputs(random, graph, {5, 3});
    EXPECT_EQ(run_session(*session, inputs).front().bytes, inputs.front().bytes);
  });
}

TEST_F(Sessions, TilesAreInvisibleToTheBit) {
  for_each_device([](const vkc::Device& device) {
    Random random(15);
    for (const bool resized : {false, true}) {
      const Extent input{47, 31};
      const Extent output = resized ? Extent{111, 70} : Extent{94, 62};
      graph::PictureOptions options{.channels = 4};
      if (resized) options.resize = {input, output};
      const auto graph = with_ends(testing::espcn(6, 1, 2, 4), options);
      const auto session = make_session(device, graph);
      ASSERT_TRUE(session);
      const auto pixels = random_inputs(random, graph, input);
      const Tensor whole = run_session(*session, pixels, {{}, {}, resized ? output : Extent{}}).front();
      for (const int edge : {17, 24, 40}) {
        const auto grid = plan::make_tiles(input, output, graph::receptive_field(graph), 2, edge);
        ASSERT_TRUE(grid) << grid.error().text();
        ASSERT_GT(grid->tiles.size(), 1U);
        Tensor tiled(whole.type, output);
        for (const plan::Tile& tile : grid->tiles) {
          const std::vector window = {testing::crop(pixels.front(), tile.input, grid->input_window)};
          const kernels::JobWindow job{tile.input, resized ? tile.output : Origin{},
                                       resized ? grid->output_window : Extent{}};
          const Tensor part = run_session(*session, window, job).front();
          const Origin from{tile.keep.x_px - tile.output.x_px, tile.keep.y_px - tile.output.y_px};
          testing::paste(part, from, tile.keep_extent, tile.keep, tiled);
        }
        EXPECT_EQ(tiled.bytes, whole.bytes) << "edge " << edge << (resized ? ", resized" : "");
      }
    }
  });
}

TEST_F(Sessions, AnyRowStrideAndNothingBesideTheRowsIsTouched) {
  for_each_device([](const vkc::Device& device) {
    Random random(16);
    const auto graph = with_ends(testing::espcn(7, 1, 2, 4), {.channels = 3});
    const auto session = make_session(device, graph);
    ASSERT_TRUE(session);
    const auto inputs = random_inputs(random, graph, {13, 5});
    const auto expected = run_session(*session, inputs);

    auto outputs = make_outputs(graph, inputs);
    Job job = make_job(inputs, outputs);
    const size_t in_row = row_bytes(inputs[0].type, inputs[0].extent);
    const size_t out_row = row_bytes(outputs[0].type, outputs[0].extent);
    std::vector<std::byte> spaced_in((in_row + 11) * 5 - 11);
    std::vector<std::byte> spaced_out((out_row + 7) * 10 - 7, std::byte{0x5a});
    for (size_t y = 0; y < 5; ++y) {
      std::memcpy(spaced_in.data() + y * (in_row + 11), inputs[0].bytes.data() + y * in_row, in_row);
    }
    job.inputs[0].bytes = spaced_in;
    job.inputs[0].row_stride_bytes = in_row + 11;
    job.outputs[0].bytes = spaced_out;
    job.outputs[0].row_stride_bytes = out_row + 7;
    ASSERT_TRUE(session->run(job));
    for (size_t i = 0; i < spaced_out.size(); ++i) {
      const size_t x = i % (out_row + 7);
      const std::byte want =
          x < out_row ? expected[0].bytes[i / (out_row + 7) * out_row + x] : std::byte{0x5a};
      ASSERT_EQ(spaced_out[i], want) << i;
    }
  });
}

TEST_F(Sessions, NothingIsReadThatWasNotWritten) {
  for_each_device([](const vkc::Device& device) {
    Random random(17);
    graph::PictureOptions options{.channels = 4};
    options.resize = {{21, 13}, {33, 30}};
    const auto graph = with_ends(random_network(random, 3, 2), options);
    const auto plain = make_session(device, graph);
    const auto poisoned = make_session(device, graph, {.poison = true});
    const auto copied = make_session(device, graph, {.poison = true, .always_copy = true});
    ASSERT_TRUE(plain && poisoned && copied);
    const auto inputs = random_inputs(random, graph, {21, 13});
    const kernels::JobWindow window{{}, {}, {33, 30}};
    const auto expected = run_session(*plain, inputs, window);
    for (GpuSession* session : {poisoned.get(), poisoned.get(), copied.get(), copied.get()}) {
      const auto outputs = run_session(*session, inputs, window);
      EXPECT_EQ(outputs[0].bytes, expected[0].bytes);
      EXPECT_EQ(outputs[1].bytes, expected[1].bytes) << "statistics";
    }
  });
}

TEST_F(Sessions, ReportsItsSteps) {
  for_each_device([](const vkc::Device& device) {
    Random random(18);
    const auto graph = with_ends(testing::espcn(8, 1, 2, 8));
    const auto session = make_session(device, graph);
    ASSERT_TRUE(session);
    const auto inputs = random_inputs(random, graph, {32, 32});
    auto outputs = make_outputs(graph, inputs);
    const auto report = session->run(make_job(inputs, outputs));
    ASSERT_TRUE(report);
    ASSERT_EQ(report->steps.size(), graph.nodes().size());
    EXPECT_GT(report->total_ms, 0);
    double sum = 0;
    for (const StepTime& step : report->steps) {
      EXPECT_GT(step.bytes, 0U);
      EXPECT_EQ(step.flops > 0, step.kernel.find("conv") == 0) << step.kernel;
      sum += step.device_ms;
      EXPECT_GT(step.facts.group_size[0], 0U);
      EXPECT_TRUE(step.facts.shared_bytes);
      EXPECT_FALSE(step.facts.registers);  // not asked for
    }
    EXPECT_GE(report->transfers.host_in_ms, 0);
    EXPECT_GE(report->transfers.host_out_ms, 0);
    const bool timestamps = device_info(device.physical_device()).limits.timestamps;
    EXPECT_EQ(report->compute_ms >= 0, timestamps);
    if (timestamps) {
      EXPECT_NEAR(report->compute_ms, sum, 1e-6);
      EXPECT_LE(report->compute_ms, report->total_ms);
      for (size_t i = 1; i < report->steps.size(); ++i)
        EXPECT_GE(report->steps[i].begin_ms, report->steps[i - 1].begin_ms);
    }
    const std::vector extents = {Extent{32, 32}};
    const auto text = session->describe(extents, {});
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, ::testing::HasSubstr("conv_1 [conv_"));
  });
}

TEST_F(Sessions, TransfersAreTimedWhereTheDeviceCopies) {
  for_each_device([](const vkc::Device& device) {
    const auto info = device_info(device.physical_device());
    if (!info.limits.timestamps) return;
    Random random(19);
    const auto graph = with_ends(testing::espcn(8, 1, 2, 8));
    GpuOptions options;
    options.always_copy = true;
    options.statistics = true;  // harmless where the device has none
    const auto session = make_session(device, graph, options);
    ASSERT_TRUE(session);
    const auto inputs = random_inputs(random, graph, {32, 32});
    auto outputs = make_outputs(graph, inputs);
    const auto report = session->run(make_job(inputs, outputs));
    ASSERT_TRUE(report);
    EXPECT_GE(report->transfers.upload_ms, 0);
    EXPECT_GE(report->transfers.download_ms, 0);
    EXPECT_LE(report->transfers.upload_ms + report->transfers.download_ms, report->total_ms);
  });
}

}  // namespace
}  // namespace upres::session
