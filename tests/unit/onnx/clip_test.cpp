#include <cmath>
#include <limits>

#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

ModelBuilder one_clip(int64_t opset, const std::vector<std::string>& inputs) {
  ModelBuilder b(opset);
  b.input("x", {1, 2, -1, -1});
  b.initializer("low", {}, {-0.5F});
  b.initializer("high", {1}, {0.5F});
  b.node("Clip", inputs, "y");
  b.output("y");
  return b;
}

TEST(ImportClip, BoundsAreInputsSinceOpset11) {
  const auto clip = [](const std::vector<std::string>& inputs) {
    return describe_node(import(one_clip(11, inputs)), "y_node");
  };
  EXPECT_EQ(clip({"x"}), "-inf..inf");
  EXPECT_EQ(clip({"x", "low"}), "-0.5..inf");
  EXPECT_EQ(clip({"x", "", "high"}), "-inf..0.5");
  EXPECT_EQ(clip({"x", "low", "high"}), "-0.5..0.5");
  EXPECT_EQ(clip({"x", "high", "low"}), "-0.5..-0.5") << "the standard: max wins";
}

TEST(ImportClip, BoundsAreAttributesBefore) {
  ModelBuilder b = one_clip(6, {"x"});
  EXPECT_EQ(describe_node(import(b), "y_node"), "-inf..inf");
  set_float(*b.graph().mutable_node(0), "max", 6);
  EXPECT_EQ(describe_node(import(b), "y_node"), "-inf..6");
  set_float(*b.graph().mutable_node(0), "min", 0);
  EXPECT_EQ(describe_node(import(b), "y_node"), "0..6");
}

TEST(ImportClip, EachOpsetItsOwn) {
  ModelBuilder late = one_clip(11, {"x"});
  set_float(*late.graph().mutable_node(0), "max", 6);
  expect_failure(import(late), "node y_node: bounds are inputs since opset 11, not attributes");
  expect_failure(import(one_clip(10, {"x", "low"})), "node y_node: bounds are attributes before opset 11");
}

TEST(ImportClip, ImpossibleBounds) {
  expect_failure(import(one_clip(13, {"x", "x"})), "node y_node: input x (min) is computed at run time");
  ModelBuilder list = one_clip(13, {"x", "low"});
  set_floats(*list.graph().mutable_initializer(0), {2}, {1, 2});
  expect_failure(import(list), "node y_node: min must be one number");
  ModelBuilder nan = one_clip(13, {"x", "low"});
  set_floats(*nan.graph().mutable_initializer(0), {}, {std::numeric_limits<float>::quiet_NaN()});
  expect_failure(import(nan), "node y_node: a bound is not a number");
  ModelBuilder integer = one_clip(13, {"x", "low"});
  set_integers(*integer.graph().mutable_initializer(0), {1});
  expect_failure(import(integer), "node y_node: tensor low: type INT64");
}

TEST(ImportRelu, IsAClipAndFuses) {
  ModelBuilder b = espcn_depth_to_space();
  EXPECT_EQ(describe_node(import(b), "r1_node"), "0..inf");
  EXPECT_NE(simplified_text(import(b)).find("%r1 = conv(%x) 3->4 5x5 pad 2,2,2,2 relu"), std::string::npos);
}

}  // namespace
}  // namespace upres::onnx
