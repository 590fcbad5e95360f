#include "graph/verify.h"

#include <cmath>

#include "graph/picture.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::expect_failure;
using testing::GraphBuilder;
using testing::planes;

// A graph of this one node, called "n", from `in` to `out`.
Graph single(Operator op, const TensorType& in, const TensorType& out) {
  GraphBuilder b;
  return b.output(b.node(std::move(op), b.input(in, "x"), out, "n"));
}
Graph single(Operator op, int in_channels, int out_channels) {
  return single(std::move(op), planes(in_channels), planes(out_channels));
}

TEST(Verify, AcceptsANetworkAndAPictureGraph) {
  EXPECT_TRUE(verify(testing::espcn(3, 2)));
  const auto graph = attach_picture_ends(testing::espcn(1, 2), {});
  ASSERT_TRUE(graph);
  EXPECT_TRUE(verify_runnable(*graph));
}

TEST(Verify, AcceptsAnInputThatIsTheOutput) {
  GraphBuilder b;
  EXPECT_TRUE(verify(b.output(b.input(1))));
}

TEST(Verify, NamesNodeAndOrigin) {
  Graph graph = single(Clip{1, 0}, 1, 1);
  graph.mutable_nodes()[0].origin = "Clip, opset 12";
  expect_failure(verify(graph), "node n (Clip, opset 12): its bounds are no range");
}

TEST(Verify, Names) {
  GraphBuilder doubled;
  doubled.identity(doubled.input(1), "n");
  expect_failure(verify(doubled.output(doubled.identity(0, "n"))), "tensor n: two have this name");

  Graph twins = testing::espcn(1, 2);
  twins.mutable_nodes()[1].name = twins.nodes()[0].name;
  expect_failure(verify(twins), "node conv1: two nodes have this name");

  Graph nameless = testing::espcn(1, 2);
  nameless.mutable_nodes()[0].name.clear();
  expect_failure(verify(nameless), "a node has no name");
  nameless = testing::espcn(1, 2);
  nameless.mutable_values()[0].name.clear();
  expect_failure(verify(nameless), "a tensor has no name");
}

TEST(Verify, Order) {
  Graph swapped = testing::espcn(1, 2);
  std::swap(swapped.mutable_nodes()[0], swapped.mutable_nodes()[1]);
  expect_failure(verify(swapped), "node relu1: reads conv1 before it is made");

  Graph twice = testing::espcn(1, 2);
  Node copy = twice.nodes()[1];
  copy.name = "again";
  twice.add_node(copy);
  expect_failure(verify(twice), "node again: makes relu1 a second time");

  GraphBuilder loop;
  const ValueId in = loop.input(1);
  loop.add({"n", Identity{}, {in}, {in}, ""});
  expect_failure(verify(loop.output(in)), "node n: makes input a second time");
}

TEST(Verify, PortsOfTheGraph) {
  Graph graph = testing::espcn(1, 2);
  graph.mutable_outputs().clear();
  expect_failure(verify(graph), "the graph has no output");

  GraphBuilder orphan;
  orphan.input(1);
  expect_failure(verify(orphan.output(orphan.value("ghost", planes(1)))), "output ghost: no node makes it");

  graph = testing::espcn(1, 2);
  graph.add_input(graph.inputs()[0]);
  expect_failure(verify(graph), "input input: listed twice");
  graph = testing::espcn(1, 2);
  graph.add_output(99);
  expect_failure(verify(graph), "unknown output");
  graph = testing::espcn(1, 2);
  graph.add_input(99);
  expect_failure(verify(graph), "unknown input");
}

TEST(Verify, IdsAndCounts) {
  Graph graph = testing::espcn(1, 2);
  graph.mutable_nodes()[0].inputs = {77};
  expect_failure(verify(graph), "node conv1: it reads an unknown tensor");
  graph = testing::espcn(1, 2);
  graph.mutable_nodes()[0].outputs = {77};
  expect_failure(verify(graph), "node conv1: it writes an unknown tensor");
  graph = testing::espcn(1, 2);
  graph.mutable_nodes()[0].inputs = {0, 0};
  expect_failure(verify(graph), "node conv1: 2 inputs and 1 outputs");
}

TEST(Verify, Conv) {
  const Conv good = testing::conv_op(2, 3, 5, 3, {});
  EXPECT_TRUE(verify(single(good, 2, 3)));
  expect_failure(verify(single(good, 1, 3)), "input of 1 channels where 2 are needed");
  expect_failure(verify(single(good, 2, 4)), "output of 4 channels where 3 are needed");

  Conv bad = good;
  bad.kernel_width = 4;
  expect_failure(verify(single(bad, 2, 3)), "90 weights do not make 3x2x3x4");
  bad = good;
  bad.weights = testing::weights(91);
  expect_failure(verify(single(bad, 2, 3)), "91 weights do not make 3x2x3x5");
  bad = good;
  bad.biases = testing::weights(2);
  expect_failure(verify(single(bad, 2, 3)), "2 biases for 3 channels");
  bad = good;
  bad.biases = nullptr;
  expect_failure(verify(single(bad, 2, 3)), "weights or biases are missing");
  bad = good;
  bad.padding.bottom = -1;
  expect_failure(verify(single(bad, 2, 3)), "padding is negative");
  bad = good;
  bad.kernel_height = 0;
  expect_failure(verify(single(bad, 2, 3)), "the kernel has no size");
}

// The product of these sizes is 0 modulo 2^64.
TEST(Verify, ConvSizesCannotOverflow) {
  Conv bad = testing::conv_op(1, 1, 1, 1, {});
  bad.in_channels = bad.kernel_width = bad.kernel_height = 1 << 30;
  bad.out_channels = 16;
  bad.weights = testing::weights(0);
  bad.biases = testing::weights(16);
  expect_failure(verify(single(bad, 1 << 30, 16)), "0 weights do not make");
}

TEST(Verify, Clip) {
  EXPECT_TRUE(verify(single(Clip{0, 0}, 2, 2)));
  expect_failure(verify(single(Clip{std::nanf(""), 1}, 1, 1)), "its bounds are no range");
  expect_failure(verify(single(Clip{0, 1}, 1, 2)), "input and output differ in type");
}

TEST(Verify, DepthToSpace) {
  EXPECT_TRUE(verify(single(DepthToSpace{3}, 27, 3)));
  expect_failure(verify(single(DepthToSpace{3}, 26, 3)), "input of 26 channels where 27 are needed");
  expect_failure(verify(single(DepthToSpace{0}, 1, 1)), "the block is smaller than 1");
  expect_failure(verify(single(DepthToSpace{1 << 30}, 1, 1)), "input of 1 channels where");
}

TEST(Verify, RearrangementsAreNotRunnable) {
  const Graph reshape = single(Reshape{{1, 1, -1, 2}}, 1, 1);
  EXPECT_TRUE(verify(reshape));
  expect_failure(verify_runnable(reshape), "node n: reshape runs only as part of");
  const Graph transpose = single(Transpose{{0, 1, 3, 2}}, 1, 1);
  EXPECT_TRUE(verify(transpose));
  expect_failure(verify_runnable(transpose), "node n: transpose runs only as part of");
  expect_failure(verify(single(Transpose{{0, 0, 1, 2}}, 1, 1)), "its axes are no permutation");
  expect_failure(verify(single(Reshape{}, 1, 1)), "it has no shape");
}

TEST(Verify, PicturesHaveOneToFourChannels) {
  const TensorType five{DType::u8, Layout::interleaved, 5};
  expect_failure(verify(single(Encode{}, five, planes(1))), "its input is no picture");
  expect_failure(verify(single(Store{}, planes(5), five)), "its output is no picture");
  EXPECT_TRUE(verify(single(Store{}, planes(3), {DType::u16, Layout::interleaved, 3})));
  expect_failure(verify(single(Store{}, planes(2), {DType::u8, Layout::interleaved, 3})),
                 "input of 2 channels");
}

TEST(Verify, EncodeGivesWhatGoesAround) {
  const TensorType rgb{DType::u8, Layout::interleaved, 3};
  EXPECT_TRUE(verify(single(Encode{NetworkColors::rgb}, rgb, planes(3))));
  expect_failure(verify(single(Encode{NetworkColors::luma}, rgb, planes(1))), "2 side planes go around");
  expect_failure(verify(single(Encode{NetworkColors::luma}, rgb, planes(3))), "planes of 3 channels where 1");
}

// Of a Decode graph: features, side planes (0: none), picture.
Graph decode_graph(const Decode& decode, int features, int side, const TensorType& picture) {
  GraphBuilder b;
  std::vector<ValueId> inputs = {b.input(features, "features")};
  if (side > 0) inputs.push_back(b.input(side, "side"));
  const ValueId out = b.value("picture", picture);
  b.add({"decode", decode, inputs, {out, b.value("statistics", {DType::u32, Layout::flat, 4})}, ""});
  return b.output(out);
}

TEST(Verify, Decode) {
  const TensorType rgba{DType::u8, Layout::interleaved, 4};
  const Decode luma{NetworkColors::luma, 2, ShuffleMode::crd, 4};
  EXPECT_TRUE(verify(decode_graph(luma, 4, 3, rgba)));
  EXPECT_TRUE(verify(decode_graph(luma, 4, 3, planes(4))));
  expect_failure(verify(decode_graph(luma, 4, 2, rgba)), "side planes of 2 channels where 3");
  expect_failure(verify(decode_graph(luma, 4, 0, rgba)), "3 side planes go around");
  expect_failure(verify(decode_graph(luma, 9, 3, rgba)), "features of 9 channels where 4");
  expect_failure(verify(decode_graph({NetworkColors::luma, 3, ShuffleMode::crd, 4}, 9, 3, rgba)),
                 "block 3 does not divide factor 4");
  EXPECT_TRUE(verify(decode_graph({NetworkColors::rgb, 1, ShuffleMode::crd, 2}, 3, 1, rgba)));
  Graph wrong = decode_graph(luma, 4, 3, rgba);
  wrong.mutable_values()[3].type.channels = 3;
  expect_failure(verify(wrong), "its statistics are not 4 u32");
}

TEST(Verify, Resample) {
  EXPECT_TRUE(verify(single(Resample{Axis::x, 3, 2}, 3, 3)));
  expect_failure(verify(single(Resample{Axis::x, 0, 2}, 3, 3)), "size of the whole picture is missing");
  expect_failure(verify(single(Resample{Axis::x, 1, 2}, 3, 1)), "differ in type");
}

}  // namespace
}  // namespace upres::graph
