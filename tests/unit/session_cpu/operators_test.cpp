// Every operator alone, and the graphs around networks, against the references in kernels/.
#include <cstring>

#include "graph/passes/passes.h"
#include "kernels/pixels/statistics.h"
#include "session/cpu/pixels.h"
#include "support.h"

namespace upres::session::test {
namespace {

constexpr Extent kSizes[] = {{1, 1}, {1, 7}, {7, 1}, {3, 2}, {16, 5}, {17, 4}, {37, 53}, {131, 9}};

// The arithmetic is the reference's, step by step: equal to the bit where the processor fuses multiply and
// add, as every one with AVX2 does; else the last bits differ.
constexpr double kSameArithmetic = 1e-6;

double same_to_the_bit() { return std::string(cpu::pixel_isa()).starts_with("SSE") ? kSameArithmetic : 0; }

struct Expected {
  double tolerance = 0;  // in the output's own unit
  int band_rows = 0;
};

void expect_reference(const graph::Graph& graph, const std::vector<Tensor>& inputs, const Expected& expected,
                      const kernels::JobWindow& window = {}) {
  auto reference = kernels::run_reference(graph, inputs, window);
  ASSERT_TRUE(reference) << reference.error().text();
  const auto session = make_session(graph, {.band_rows = expected.band_rows});
  ASSERT_TRUE(session);
  const std::vector<Tensor> got = run(*session, inputs, window);
  ASSERT_EQ(got.size(), reference->size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].type.layout == Layout::flat) continue;
    EXPECT_LE(largest_difference(got[i], (*reference)[i]), expected.tolerance) << "output " << i;
  }
}

void expect_same_statistics(const Tensor& got, const Tensor& reference) {
  const auto words = [](const Tensor& tensor) {
    kernels::StatisticsWords all{};
    std::memcpy(all.data(), tensor.bytes.data(), sizeof(all));
    return kernels::read_statistics(all);
  };
  const kernels::Statistics a = words(got);
  const kernels::Statistics b = words(reference);
  EXPECT_EQ(a.nan, b.nan);
  EXPECT_EQ(a.infinite, b.infinite);
  EXPECT_NEAR(a.smallest, b.smallest, kSameArithmetic);
  EXPECT_NEAR(a.largest, b.largest, kSameArithmetic);
}

graph::Graph encode_graph(graph::NetworkColors colors, int channels, DType dtype) {
  graph::Graph graph;
  const graph::ValueId in = graph.add_value("pixels", {dtype, Layout::interleaved, channels});
  graph.add_input(in);
  const bool luma = colors == graph::NetworkColors::luma;
  std::vector<graph::ValueId> outputs = {graph.add_value("planes", planes(luma ? 1 : 3))};
  const int side = (luma && channels >= 3 ? 2 : 0) + (channels % 2 == 0 ? 1 : 0);
  if (side > 0) outputs.push_back(graph.add_value("side", planes(side)));
  for (const graph::ValueId id : outputs) graph.add_output(id);
  graph.add_node({"encode", graph::Encode{colors}, {in}, outputs, ""});
  return graph;
}

TEST(CpuOperators, EncodeEqualsTheReferenceToTheBit) {
  for (const auto colors : {graph::NetworkColors::luma, graph::NetworkColors::rgb}) {
    for (const int channels : {1, 2, 3, 4}) {
      for (const DType dtype : {DType::u8, DType::u16}) {
        for (const Extent& size : kSizes) {
          const graph::Graph graph = encode_graph(colors, channels, dtype);
          expect_reference(graph, {random_tensor({dtype, Layout::interleaved, channels}, size, 3)},
                           {same_to_the_bit()});
        }
      }
    }
  }
}

TEST(CpuOperators, GreyHasNoColour) {
  const graph::Graph graph = encode_graph(graph::NetworkColors::luma, 3, DType::u8);
  Tensor grey({DType::u8, Layout::interleaved, 3}, {256, 1});
  for (size_t i = 0; i < 256; ++i) std::memset(grey.bytes.data() + 3 * i, static_cast<int>(i), 3);
  const auto session = make_session(graph);
  ASSERT_TRUE(session);
  const std::vector<Tensor> got = run(*session, {grey});
  for (const float chroma : got[1].as<float>()) EXPECT_EQ(chroma, 0.0F);
}

TEST(CpuOperators, DepthToSpaceEqualsTheReferenceToTheBit) {
  for (const auto mode : {graph::ShuffleMode::crd, graph::ShuffleMode::dcr}) {
    for (const int channels : {1, 2, 3}) {
      for (const int block : {1, 2, 3, 4, 5, 8}) {
        for (const Extent& size : kSizes) {
          const TensorType in = planes(channels * block * block);
          Chain chain(in);
          const graph::Graph graph = chain.then(graph::DepthToSpace{block, mode}, planes(channels)).done();
          expect_reference(graph, {random_tensor(in, size, 4)}, {});
        }
      }
    }
  }
}

TEST(CpuOperators, ClipKeepsNanAndBothEnds) {
  const graph::Graph graph = Chain(planes(3)).then(graph::Clip{0.25F, 0.5F}, planes(3)).done();
  Tensor input = random_tensor(planes(3), {37, 5}, 5);
  input.as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  input.as<float>()[8] = std::numeric_limits<float>::infinity();
  const auto session = make_session(graph);
  ASSERT_TRUE(session);
  const std::vector<Tensor> got = run(*session, {input});
  auto reference = kernels::run_reference(graph, {&input, 1});
  ASSERT_TRUE(reference);
  EXPECT_EQ(got[0].bytes, (*reference)[0].bytes);
}

struct DecodeCase {
  graph::NetworkColors colors = graph::NetworkColors::luma;
  int channels = 3;
  int block = 3;
  int factor = 3;
  graph::ShuffleMode mode = graph::ShuffleMode::crd;
  graph::SideFilter filter = graph::SideFilter::bicubic;
  TensorType picture;
};

graph::Graph decode_graph(const DecodeCase& c) {
  graph::Graph graph;
  const bool luma = c.colors == graph::NetworkColors::luma;
  const int side_planes = (luma && c.channels >= 3 ? 2 : 0) + (c.channels % 2 == 0 ? 1 : 0);
  std::vector<graph::ValueId> inputs = {
      graph.add_value("features", planes((luma ? 1 : 3) * c.block * c.block))};
  if (side_planes > 0) inputs.push_back(graph.add_value("side", planes(side_planes)));
  const graph::ValueId picture = graph.add_value("picture", c.picture);
  const graph::ValueId statistics = graph.add_value("statistics", {DType::u32, Layout::flat, 4});
  for (const graph::ValueId id : inputs) graph.add_input(id);
  graph.add_node({"decode",
                  graph::Decode{c.colors, c.block, c.mode, c.factor, c.filter},
                  inputs,
                  {picture, statistics},
                  ""});
  graph.add_output(picture);
  graph.add_output(statistics);
  return graph;
}

std::vector<Tensor> decode_inputs(const DecodeCase& c, const Extent& side) {
  const graph::Graph graph = decode_graph(c);
  const int scale = c.factor / c.block;
  const Extent features{side.width_px * scale, side.height_px * scale};
  std::vector<Tensor> inputs = {random_tensor(graph.value(graph.inputs()[0]).type, features, 6)};
  if (graph.inputs().size() > 1)
    inputs.push_back(random_tensor(graph.value(graph.inputs()[1]).type, side, 7));
  for (float& sample : inputs[0].as<float>()) sample = sample * 1.4F - 0.2F;  // beyond both ends
  return inputs;
}

void expect_decoded(const DecodeCase& c, const Extent& size) {
  SCOPED_TRACE(testing::Message() << c.channels << " channels, block " << c.block << ", factor " << c.factor
                                  << ", " << size.width_px << "x" << size.height_px);
  const graph::Graph graph = decode_graph(c);
  const std::vector<Tensor> inputs = decode_inputs(c, size);
  auto reference = kernels::run_reference(graph, inputs);
  ASSERT_TRUE(reference) << reference.error().text();
  for (const int band_rows : {0, 1, 2}) {
    const auto session = make_session(graph, {.band_rows = band_rows});
    ASSERT_TRUE(session);
    const std::vector<Tensor> got = run(*session, inputs);
    // Where the processor does not fuse, a sample that lies between two levels may fall on the other side.
    const double tolerance = c.picture.dtype == DType::f32 ? kSameArithmetic : 1;
    EXPECT_LE(largest_difference(got[0], (*reference)[0]), tolerance);
    expect_same_statistics(got[1], (*reference)[1]);
  }
}

TEST(CpuOperators, DecodeEqualsTheReference) {
  for (const auto colors : {graph::NetworkColors::luma, graph::NetworkColors::rgb}) {
    for (const int channels : {1, 2, 3, 4}) {
      for (const DType dtype : {DType::u8, DType::u16, DType::f32}) {
        const Layout layout = dtype == DType::f32 ? Layout::planar : Layout::interleaved;
        DecodeCase c = {.colors = colors, .channels = channels, .picture = {dtype, layout, channels}};
        for (const Extent& size : {Extent{1, 1}, Extent{5, 3}, Extent{23, 11}}) expect_decoded(c, size);
      }
    }
  }
}

TEST(CpuOperators, DecodeByEveryFactorFilterAndMode) {
  for (const int factor : {1, 2, 3, 4, 5, 6}) {
    for (const auto filter : {graph::SideFilter::bicubic, graph::SideFilter::bilinear}) {
      for (const auto mode : {graph::ShuffleMode::crd, graph::ShuffleMode::dcr}) {
        DecodeCase c = {.colors = graph::NetworkColors::luma,
                        .channels = 4,
                        .block = factor,
                        .factor = factor,
                        .mode = mode,
                        .filter = filter,
                        .picture = {DType::u8, Layout::interleaved, 4}};
        for (const Extent& size : {Extent{1, 2}, Extent{19, 7}}) expect_decoded(c, size);
        c.block = 1;  // a network that enlarges by itself
        expect_decoded(c, {9, 5});
        c.colors = graph::NetworkColors::rgb;
        c.block = factor;
        expect_decoded(c, {9, 5});
      }
    }
  }
}

TEST(CpuOperators, StatisticsSeeEveryNanAndInfinity) {
  const DecodeCase c = {.picture = {DType::u8, Layout::interleaved, 3}};
  std::vector<Tensor> inputs = decode_inputs(c, {23, 11});
  auto features = inputs[0].as<float>();
  features[5] = std::numeric_limits<float>::quiet_NaN();
  features[200] = std::numeric_limits<float>::infinity();
  features[201] = -std::numeric_limits<float>::infinity();
  const graph::Graph graph = decode_graph(c);
  auto reference = kernels::run_reference(graph, inputs);
  ASSERT_TRUE(reference);
  const auto session = make_session(graph);
  ASSERT_TRUE(session);
  // Twice: nothing of the first job may be left in the second.
  for (int turn = 0; turn < 2; ++turn) {
    const std::vector<Tensor> got = run(*session, inputs);
    EXPECT_LE(largest_difference(got[0], (*reference)[0]), 1);
    expect_same_statistics(got[1], (*reference)[1]);
  }
}

TEST(CpuOperators, StoreEqualsTheReferenceToTheBit) {
  for (const int channels : {1, 2, 3, 4}) {
    for (const DType dtype : {DType::u8, DType::u16}) {
      for (const Extent& size : kSizes) {
        Tensor input = random_tensor(planes(channels), size, 8);
        for (float& sample : input.as<float>()) sample = sample * 1.5F - 0.25F;
        input.as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
        const TensorType picture{dtype, Layout::interleaved, channels};
        const graph::Graph graph = Chain(planes(channels)).then(graph::Store{}, picture).done();
        expect_reference(graph, {input}, {});
      }
    }
  }
}

TEST(CpuOperators, ResampleEqualsTheReference) {
  struct Case {
    int in;
    int out;
  };
  for (const Case& c :
       {Case{9, 21}, Case{21, 9}, Case{50, 49}, Case{3, 40}, Case{200, 3}, Case{1, 5}, Case{5, 1}}) {
    for (const auto axis : {graph::Axis::x, graph::Axis::y}) {
      const bool x = axis == graph::Axis::x;
      const Extent size = x ? Extent{c.in, 7} : Extent{7, c.in};
      const graph::Graph graph = Chain(planes(2)).then(graph::Resample{axis, c.in, c.out}, planes(2)).done();
      const kernels::JobWindow window = {.input = {}, .resampled = {}, .resampled_extent = {c.out, c.out}};
      for (const int band_rows : {0, 1, 4}) {
        expect_reference(graph, {random_tensor(planes(2), size, 9)}, {kSameArithmetic, band_rows}, window);
      }
    }
  }
}

// Around the window lies NaN.
TEST(CpuOperators, ResampleReadsNothingBeyondAWindowShorterThanTheTaps) {
  constexpr size_t kStride = 96;
  for (const auto axis : {graph::Axis::x, graph::Axis::y}) {
    const Extent size = axis == graph::Axis::x ? Extent{4, 3} : Extent{3, 4};
    const graph::Graph graph = Chain(planes(1)).then(graph::Resample{axis, 300, 210}, planes(1)).done();
    const kernels::JobWindow window = {.input = {}, .resampled = {}, .resampled_extent = {3, 3}};
    const Tensor input = random_tensor(planes(1), size, 5);
    const auto reference = kernels::run_reference(graph, {{input}}, window);
    ASSERT_TRUE(reference);
    std::vector<float> around(kStride * 20, std::numeric_limits<float>::quiet_NaN());
    const size_t row = row_bytes(input.type, size);
    for (size_t y = 0; y < static_cast<size_t>(size.height_px); ++y)
      std::memcpy(&around[y * kStride], &input.bytes[y * row], row);
    Tensor output(planes(1), {3, 3});
    Job job;
    job.inputs = {{input.type, size, kStride * sizeof(float), std::as_bytes(std::span(around))}};
    job.outputs = {output.view()};
    job.window = window;
    const auto session = make_session(graph);
    ASSERT_TRUE(session);
    ASSERT_TRUE(session->run(job));
    EXPECT_LE(largest_difference(output, reference->front()), kSameArithmetic);
  }
}

// Pixels to pixels around a network, as pictures are made.
TEST(CpuOperators, PictureGraphsEqualTheReference) {
  for (const int network_channels : {1, 3}) {
    const graph::Graph network = small_network(2, 2, network_channels);
    for (const int channels : {1, 2, 3, 4}) {
      for (const DType dtype : {DType::u8, DType::u16}) {
        graph::PictureOptions options;
        options.channels = channels;
        options.in_dtype = dtype;
        options.out_dtype = dtype;
        auto picture = graph::attach_picture_ends(network, options);
        ASSERT_TRUE(picture) << picture.error().text();
        // A level of 255; convolutions of 1e-5 may move a 16-bit sample by one of its own levels.
        for (const Extent& size : {Extent{1, 1}, Extent{21, 13}}) {
          expect_reference(*picture, {random_tensor({dtype, Layout::interleaved, channels}, size, 10)}, {1});
        }
      }
    }
  }
}

TEST(CpuOperators, ResizedPicturesEqualTheReference) {
  const Extent in{21, 13};
  const Extent out{33, 20};
  graph::PictureOptions options;
  options.channels = 4;
  options.resize = graph::PictureOptions::Resize{in, out};
  auto picture = graph::attach_picture_ends(small_network(2), options);
  ASSERT_TRUE(picture) << picture.error().text();
  const kernels::JobWindow window = {.input = {}, .resampled = {}, .resampled_extent = out};
  for (const int band_rows : {0, 1, 3}) {
    expect_reference(*picture, {random_tensor({DType::u8, Layout::interleaved, 4}, in, 11)}, {1, band_rows},
                     window);
  }
}

TEST(CpuOperators, RowsOfTheCallerMayHaveAnyStride) {
  const graph::Graph network = small_network(2, 3, 3);
  auto picture = graph::attach_picture_ends(network, {});
  ASSERT_TRUE(picture);
  for (const graph::Graph& graph : {network, *picture}) {
    const TensorType in = graph.value(graph.inputs()[0]).type;
    const Tensor input = random_tensor(in, {19, 11}, 12);
    const auto session = make_session(graph);
    ASSERT_TRUE(session);
    const std::vector<Tensor> packed = run(*session, {input});

    const size_t planes_in = in.layout == Layout::planar ? 3 : 1;
    const size_t row = row_bytes(in, input.extent);
    std::vector<std::byte> wide_in(planes_in * 11 * (row + 12));
    for (size_t y = 0; y < planes_in * 11; ++y)
      std::memcpy(&wide_in[y * (row + 12)], &input.bytes[y * row], row);
    const Tensor& out = packed[0];
    const size_t planes_out = out.type.layout == Layout::planar ? 3 : 1;
    const size_t out_row = row_bytes(out.type, out.extent);
    const size_t out_rows = planes_out * static_cast<size_t>(out.extent.height_px);
    std::vector<std::byte> wide_out(out_rows * (out_row + 20), std::byte{0x5a});
    Job job;
    job.inputs = {{in, input.extent, row + 12, wide_in}};
    job.outputs = {{out.type, out.extent, out_row + 20, wide_out}};
    Tensor statistics({DType::u32, Layout::flat, 4}, {1, 1});
    if (packed.size() > 1) job.outputs.push_back(statistics.view());
    auto report = session->run(job);
    ASSERT_TRUE(report) << report.error().text();
    for (size_t y = 0; y < out_rows; ++y) {
      EXPECT_EQ(std::memcmp(&wide_out[y * (out_row + 20)], &out.bytes[y * out_row], out_row), 0)
          << "row " << y;
      for (size_t i = out_row; i < out_row + 20; ++i)
        EXPECT_EQ(wide_out[y * (out_row + 20) + i], std::byte{0x5a});
    }
  }
}

TEST(CpuOperators, InputsMayBeOutputsAndOutputsMayRepeat) {
  graph::Graph graph;
  const graph::ValueId in = graph.add_value("in", planes(2));
  const graph::ValueId out = graph.add_value("out", planes(2));
  graph.add_input(in);
  graph.add_node({"clip", graph::Clip{0.25F, 0.5F}, {in}, {out}, ""});
  graph.add_output(out);
  graph.add_output(in);
  graph.add_output(out);
  if (!graph::verify_runnable(graph)) GTEST_SKIP() << "the verifier refuses such graphs";
  expect_reference(graph, {random_tensor(planes(2), {5, 4}, 13)}, {});
}

}  // namespace
}  // namespace upres::session::test
