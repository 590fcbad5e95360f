#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

TEST(Names, NodesWithoutOneOrWithTheSame) {
  ModelBuilder b;
  b.input("x", {1, 1, -1, -1});
  b.node("Relu", {"x"}, "a").clear_name();
  b.node("Relu", {"a"}, "b").set_name("Relu_0");
  b.node("Relu", {"b"}, "c").set_name("same");
  b.node("Relu", {"c"}, "y").set_name("same");
  b.output("y");
  const auto model = import(b);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graph.nodes()[0].name, "Relu_0");
  EXPECT_EQ(model->graph.nodes()[1].name, "Relu_0_1");
  EXPECT_EQ(model->graph.nodes()[2].name, "same");
  EXPECT_EQ(model->graph.nodes()[3].name, "same_3");
}

TEST(Names, TensorsThatShareOne) {
  ModelBuilder twice = espcn_depth_to_space();
  twice.node("Relu", {"x"}, "c1");
  expect_failure(import(twice), "m.onnx: tensor c1: made twice");
  ModelBuilder over_input = espcn_depth_to_space();
  over_input.node("Relu", {"y"}, "x");
  expect_failure(import(over_input), "tensor x: made twice");
  ModelBuilder over_weights = espcn_depth_to_space();
  over_weights.node("Relu", {"y"}, "c1_w");
  expect_failure(import(over_weights), "tensor c1_w: made twice");
  ModelBuilder inputs = espcn_depth_to_space();
  inputs.input("x", {1, 3, -1, -1});
  expect_failure(import(inputs), "input x: two have this name");
  ModelBuilder weights = espcn_depth_to_space();
  weights.initializer("c1_w", {1});
  expect_failure(import(weights), "tensor c1_w: two have this name");
}

TEST(Names, TensorsWithoutOne) {
  ModelBuilder weights = espcn_depth_to_space();
  weights.initializer("", {1});
  expect_failure(import(weights), "a tensor has no name");
  ModelBuilder input = espcn_depth_to_space();
  input.input("", {1, 3, -1, -1});
  expect_failure(import(input), "a tensor has no name");
  ModelBuilder output;
  output.input("x", {1, 3, -1, -1});
  output.node("Relu", {"x"}, "");
  output.output("");
  expect_failure(import(output), "a tensor has no name");
}

TEST(Names, TensorsThatNothingMakes) {
  ModelBuilder b = espcn_depth_to_space();
  b.graph().mutable_node(1)->set_input(0, "c9");
  expect_failure(import(b), "tensor c9: read by a node, but not in the file");
}

TEST(Names, HostileOnesAreShownOnOneShortLine) {
  ModelBuilder b;
  b.input("x", {1, 1, -1, -1});
  b.node("Evil\x1b[2J\n" + std::string(200, 'A'), {"x"}, "y").set_name("a\r\nb" + std::string(1000, 'B'));
  b.output("y");
  const std::string message = text_of(import(b));
  EXPECT_EQ(message.find_first_of("\r\n\x1b"), std::string::npos);
  EXPECT_NE(message.find("node a\\r\\nbBBB"), std::string::npos) << message;
  EXPECT_LT(message.size(), 400U);
  const auto labelled = import_model({}, "two\nlines.onnx");
  EXPECT_EQ(labelled.error().message, "two\\nlines.onnx: it is empty");
}

}  // namespace
}  // namespace upres::onnx
