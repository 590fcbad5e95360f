#include "graph/extents.h"

#include "graph/picture.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::expect_failure;
using testing::GraphBuilder;
using testing::numbered;
using testing::planes;

Result<Extent> output_extent(const Graph& graph, const Extent& input, const Extent& resampled = {}) {
  const std::vector<Extent> inputs = {input};
  auto extents = infer_extents(graph, inputs, resampled);
  if (!extents) return propagate(extents);
  return (*extents)[graph.outputs().front()];
}

TEST(Extents, ConvolutionsAndShuffles) {
  EXPECT_EQ(output_extent(testing::espcn(1, 3), {1, 1}), (Extent{3, 3}));
  EXPECT_EQ(output_extent(testing::espcn(3, 2), {13, 7}), (Extent{26, 14}));
  GraphBuilder b;
  const Graph uneven = b.output(b.conv(b.input(1), 1, 5, 2, {1, 0, 2, 3}, "conv"));
  EXPECT_EQ(output_extent(uneven, {10, 20}), (Extent{10 + 3 - 4, 20 + 3 - 1}));
}

TEST(Extents, InputSmallerThanTheKernel) {
  GraphBuilder b;
  const Graph graph = b.output(b.conv(b.input(1), 1, 5, 3, {}, "conv_1"));
  EXPECT_EQ(output_extent(graph, {5, 3}), (Extent{1, 1}));
  expect_failure(output_extent(graph, {4, 3}), "node conv_1: input 4x3 is smaller than the 5x3 kernel");
  expect_failure(output_extent(graph, {5, 2}), "node conv_1: input 5x2 is smaller than the 5x3 kernel");
}

TEST(Extents, EveryValueOfAPictureGraph) {
  PictureOptions options;
  options.resize = {{10, 6}, {15, 9}};
  const auto graph = attach_picture_ends(testing::espcn(1, 2), options);
  ASSERT_TRUE(graph);
  const std::vector<Extent> inputs = {{10, 6}};
  const auto extents = infer_extents(*graph, inputs, {15, 9});
  ASSERT_TRUE(extents) << extents.error().text();
  const auto of = [&](std::string_view name) {
    for (size_t i = 0; i < graph->values().size(); ++i) {
      if (graph->values()[i].name == name) return (*extents)[i];
    }
    ADD_FAILURE() << "no value " << name;
    return Extent{};
  };
  EXPECT_EQ(of("side"), (Extent{10, 6}));
  EXPECT_EQ(of("conv2"), (Extent{10, 6}));
  EXPECT_EQ(of("decoded"), (Extent{20, 12}));
  EXPECT_EQ(of("resampled_x"), (Extent{15, 12}));
  EXPECT_EQ(of("picture"), (Extent{15, 9}));
  EXPECT_EQ(of("statistics"), (Extent{1, 1}));
  expect_failure(infer_extents(*graph, inputs),
                 "node resample_x: the size of the resampled window is not given");
}

TEST(Extents, SidePlanesMustFitThePicture) {
  GraphBuilder b;
  const std::vector<ValueId> inputs = {b.input(4, "features"), b.input(2, "side")};
  const ValueId picture = b.value("picture", {DType::u8, Layout::interleaved, 3});
  const ValueId statistics = b.value("statistics", {DType::u32, Layout::flat, 4});
  b.add({"decode", Decode{NetworkColors::luma, 2, ShuffleMode::crd, 4}, inputs, {picture, statistics}, ""});
  const Graph graph = b.output(picture);
  const std::vector<Extent> fitting = {{8, 6}, {4, 3}};
  EXPECT_TRUE(infer_extents(graph, fitting));
  const std::vector<Extent> other = {{8, 6}, {4, 4}};
  expect_failure(infer_extents(graph, other),
                 "node decode: the picture is 16x12, its side planes make 16x16");
}

TEST(Extents, TooLarge) {
  expect_failure(output_extent(testing::espcn(1, 3), {1 << 30, 1}), "an output of 3221225472x3 is too large");
  GraphBuilder b;
  ValueId value = b.input(1);
  for (int i = 0; i < 5; ++i) value = b.conv(value, 1, 1, 1, {0, 1 << 30, 0, 0}, numbered("conv", i));
  expect_failure(output_extent(b.output(value), {1, 1}), "is too large");
}

TEST(Extents, WrongInputs) {
  expect_failure(output_extent(testing::espcn(1, 3), {0, 4}), "an input of 0x4 has no pixels");
  expect_failure(infer_extents(testing::espcn(1, 3), {}), "the graph has 1 inputs, sizes of 0 were given");
}

TEST(Extents, RearrangedTensorsHaveNone) {
  GraphBuilder b;
  const Graph graph = b.output(b.reshape(b.input(1), {1, 1, -1, 2}, 1, "r"));
  expect_failure(output_extent(graph, {2, 2}), "node r: a tensor that is no picture");
}

// ESPCN x3 as the literature has it: 1->64 5x5, 64->64 3x3, 64->32 3x3, 32->9 3x3.
TEST(Flops, OfTheReferenceNetwork) {
  GraphBuilder b;
  const ValueId first = b.conv(b.input(1), 64, 5, "c1");
  const ValueId last = b.conv(b.conv(b.conv(first, 64, 3, "c2"), 32, 3, "c3"), 9, 3, "c4");
  const Graph graph = b.output(b.shuffle(last, 3, "out"));
  const std::vector<Extent> inputs = {{1280, 720}};
  const auto extents = infer_extents(graph, inputs);
  ASSERT_TRUE(extents);
  const uint64_t weights = 25 * 64 + 9 * 64 * 64 + 9 * 64 * 32 + 9 * 32 * 9;
  EXPECT_EQ(flops(graph, *extents), 2 * weights * 1280 * 720);
}

}  // namespace
}  // namespace upres::graph
