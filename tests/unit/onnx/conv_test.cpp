#include "graph/extents.h"
#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

// One convolution, "y_node", of these weights, from 2 channels.
ModelBuilder one_conv(const Dims& weights, int64_t opset = 11) {
  ModelBuilder b(opset);
  b.input("x", {1, 2, -1, -1});
  b.initializer("w", weights);
  b.node("Conv", {"x", "w"}, "y");
  b.output("y");
  return b;
}
proto::NodeProto& node_of(ModelBuilder& b) { return *b.graph().mutable_node(0); }

TEST(ImportConv, WeightsAndBiasesInOrder) {
  ModelBuilder b = one_conv({3, 2, 4, 5});
  b.initializer("b", {3});
  node_of(b).add_input("b");
  const auto model = import(b);
  ASSERT_TRUE(model) << model.error().message;
  const auto& conv = std::get<graph::Conv>(model->graph.nodes()[0].op);
  EXPECT_EQ(conv.out_channels, 3);
  EXPECT_EQ(conv.in_channels, 2);
  EXPECT_EQ(conv.kernel_height, 4);
  EXPECT_EQ(conv.kernel_width, 5);
  EXPECT_EQ(*conv.weights, ramp(3 * 2 * 4 * 5));
  EXPECT_EQ(*conv.biases, ramp(3));
}

TEST(ImportConv, WithoutBiases) {
  ModelBuilder b = one_conv({3, 2, 1, 1});
  EXPECT_EQ(*std::get<graph::Conv>(import(b)->graph.nodes()[0].op).biases, std::vector<float>(3, 0));
  node_of(b).add_input("");
  EXPECT_TRUE(import(b)) << "an empty name is an absent input";
}

TEST(ImportConv, ExplicitPadding) {
  ModelBuilder b = one_conv({1, 2, 3, 5});
  EXPECT_EQ(describe_node(import(b), "y_node"), "2->1 5x3 pad 0,0,0,0");
  set_ints(node_of(b), "pads", {1, 2, 3, 4});
  EXPECT_EQ(describe_node(import(b), "y_node"), "2->1 5x3 pad 1,2,3,4");
}

// At stride 1 SAME keeps the size; only an even kernel tells the two apart.
TEST(ImportConv, AutomaticPadding) {
  const auto padded = [](const Dims& weights, const std::string& mode) {
    ModelBuilder b = one_conv(weights);
    set_text(node_of(b), "auto_pad", mode);
    return describe_node(import(b), "y_node");
  };
  EXPECT_EQ(padded({1, 2, 3, 5}, "SAME_UPPER"), "2->1 5x3 pad 1,2,1,2");
  EXPECT_EQ(padded({1, 2, 3, 5}, "SAME_LOWER"), "2->1 5x3 pad 1,2,1,2");
  EXPECT_EQ(padded({1, 2, 4, 2}, "SAME_UPPER"), "2->1 2x4 pad 1,0,2,1");
  EXPECT_EQ(padded({1, 2, 4, 2}, "SAME_LOWER"), "2->1 2x4 pad 2,1,1,0");
  EXPECT_EQ(padded({1, 2, 3, 3}, "VALID"), "2->1 3x3 pad 0,0,0,0");
  EXPECT_EQ(padded({1, 2, 3, 3}, "NOTSET"), "2->1 3x3 pad 0,0,0,0");
  EXPECT_EQ(padded({1, 2, 3, 3}, "SAME"), "m.onnx: node y_node: attribute auto_pad: unknown value SAME");
}

TEST(ImportConv, BothKindsOfPadding) {
  ModelBuilder b = one_conv({1, 2, 3, 3});
  set_text(node_of(b), "auto_pad", "VALID");
  set_ints(node_of(b), "pads", {1, 1, 1, 1});
  expect_failure(import(b), "node y_node: it has both pads and auto_pad");
  node_of(b).mutable_attribute(0)->set_s("NOTSET");
  EXPECT_EQ(describe_node(import(b), "y_node"), "2->1 3x3 pad 1,1,1,1");
}

TEST(ImportConv, ImpossiblePadding) {
  for (const auto& pads :
       {Dims{-1, 0, 0, 0}, Dims{1, 1}, Dims{}, Dims{0, 0, 0, 65537}, Dims{0, 0, 0, INT64_MAX}}) {
    ModelBuilder b = one_conv({1, 2, 3, 3});
    set_ints(node_of(b), "pads", pads);
    expect_failure(import(b), "attribute pads: [");
  }
}

TEST(ImportConv, DefaultStepsAreFine) {
  ModelBuilder b = one_conv({1, 2, 3, 3});
  set_ints(node_of(b), "strides", {1, 1});
  set_ints(node_of(b), "dilations", {1, 1});
  set_int(node_of(b), "group", 1);
  set_ints(node_of(b), "kernel_shape", {3, 3});
  EXPECT_EQ(describe_node(import(b), "y_node"), "2->1 3x3 pad 0,0,0,0");
}

TEST(ImportConv, OtherStepsAreRefusedByName) {
  const auto with = [](const std::string& name, const std::vector<int64_t>& values) {
    ModelBuilder b = one_conv({1, 2, 3, 3});
    set_ints(node_of(b), name, values);
    return text_of(import(b));
  };
  EXPECT_EQ(with("strides", {2, 2}),
            "m.onnx: node y_node: Conv (opset 11) with strides 2x2 is not supported; upres runs strides 1x1");
  EXPECT_EQ(
      with("dilations", {1, 2}),
      "m.onnx: node y_node: Conv (opset 11) with dilations 1x2 is not supported; upres runs dilations 1x1");
  ModelBuilder grouped = one_conv({2, 1, 3, 3});
  set_int(node_of(grouped), "group", 2);
  EXPECT_EQ(text_of(import(grouped)),
            "m.onnx: node y_node: Conv (opset 11) with group 2 is not supported; upres runs group 1");
}

TEST(ImportConv, ShapesMustAgree) {
  expect_failure(import(one_conv({1, 3, 3, 3})),
                 "tensor w: its shape is 1x3x3x3, but the input has 2 channels");
  expect_failure(import(one_conv({1, 2, 3})),
                 "tensor w: its shape is 1x2x3, convolutions of pictures have 4");
  expect_failure(import(one_conv({1, 2, 0, 3})), "tensor w: its shape is 1x2x0x3, which is empty");
  ModelBuilder kernel = one_conv({1, 2, 3, 5});
  set_ints(node_of(kernel), "kernel_shape", {5, 3});
  expect_failure(import(kernel), "tensor w: its shape is 1x2x3x5, but kernel_shape is 5x3");
  ModelBuilder biases = one_conv({3, 2, 1, 1});
  biases.initializer("b", {2});
  node_of(biases).add_input("b");
  expect_failure(import(biases), "tensor b: its shape is 2, but there are 3 output channels");
}

TEST(ImportConv, WeightsAreNeededInTheFile) {
  ModelBuilder as_input = one_conv({1, 2, 3, 3});
  as_input.graph().clear_initializer();
  as_input.input("w", {1, 2, 3, 3});
  expect_failure(import(as_input),
                 "node y_node: input w (weights) is computed at run time; upres needs it in the file");
  ModelBuilder missing = one_conv({1, 2, 3, 3});
  node_of(missing).set_input(1, "");
  expect_failure(import(missing), "node y_node: input 1 (weights) is missing");
  ModelBuilder biases = one_conv({1, 2, 3, 3});
  node_of(biases).add_input("x");
  expect_failure(import(biases), "node y_node: input x (biases) is computed at run time");
}

TEST(ImportConv, AConstantPictureIsRefused) {
  ModelBuilder b = one_conv({1, 2, 3, 3});
  node_of(b).set_input(0, "w");
  expect_failure(import(b), "node y_node: input w is a constant");
}

TEST(ImportConv, WeightsFromConstantAndIdentityNodes) {
  ModelBuilder b(17);
  b.input("x", {1, 1, -1, -1});
  set_floats(set_tensor(b.node("Constant", {}, "w0"), "value"), {1, 1, 1, 2}, {3, 4});
  b.node("Identity", {"w0"}, "w1");
  b.node("Identity", {"w1"}, "w");
  b.node("Conv", {"x", "w"}, "y");
  b.output("y");
  const auto model = import(b);
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_EQ(model->graph.nodes().size(), 1U);
  EXPECT_EQ(*std::get<graph::Conv>(model->graph.nodes()[0].op).weights, (std::vector<float>{3, 4}));
}

// Many nodes that name one tensor share it.
TEST(ImportConv, SharedWeights) {
  ModelBuilder b;
  b.input("x", {1, 2, -1, -1});
  b.initializer("w", {2, 2, 3, 3});
  b.node("Conv", {"x", "w"}, "c");
  b.node("Conv", {"c", "w"}, "y");
  b.output("y");
  const auto model = import(b);
  ASSERT_TRUE(model);
  const auto& first = std::get<graph::Conv>(model->graph.nodes()[0].op);
  const auto& second = std::get<graph::Conv>(model->graph.nodes()[1].op);
  EXPECT_EQ(first.weights, second.weights);
  EXPECT_EQ(first.biases, second.biases);
}

}  // namespace
}  // namespace upres::onnx
