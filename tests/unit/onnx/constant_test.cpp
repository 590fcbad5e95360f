#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

// A Clip whose lower bound is the node "k", which `make` fills.
template <typename Make>
std::string clip_by(const Make& make) {
  ModelBuilder b(13);
  b.input("x", {1, 1, -1, -1});
  make(b.node("Constant", {}, "k"));
  b.node("Clip", {"x", "k"}, "y");
  b.output("y");
  return describe_node(import(b), "y_node");
}

TEST(ImportConstant, EveryKindOfFloat) {
  EXPECT_EQ(clip_by([](auto& node) { set_float(node, "value_float", 0.25F); }), "0.25..inf");
  EXPECT_EQ(clip_by([](auto& node) { set_floats(set_tensor(node, "value"), {}, {0.25F}); }), "0.25..inf");
  EXPECT_EQ(clip_by([](auto& node) {
              proto::AttributeProto& attribute = *node.add_attribute();
              attribute.set_name("value_floats");
              attribute.set_type(proto::AttributeProto::FLOATS);
              attribute.add_floats(0.25F);
            }),
            "0.25..inf");
}

TEST(ImportConstant, Integers) {
  EXPECT_EQ(clip_by([](auto& node) { set_int(node, "value_int", 1); }),
            "m.onnx: node y_node: tensor k: type INT64; weights must be FLOAT, FLOAT16 or DOUBLE");
  ModelBuilder b(13);
  b.input("x", {1, 4, 2, 3});
  set_ints(b.node("Constant", {}, "shape"), "value_ints", {1, 1, -1, 4});
  b.node("Reshape", {"x", "shape"}, "y");
  b.output("y");
  EXPECT_EQ(describe_node(import(b), "y_node"), "[1,1,-1,4]");
}

TEST(ImportConstant, Refusals) {
  EXPECT_EQ(clip_by([](auto&) {}), "m.onnx: node k_node: it has no value");
  EXPECT_EQ(clip_by([](auto& node) {
              set_float(node, "value_float", 1);
              set_int(node, "value_int", 1);
            }),
            "m.onnx: node k_node: it has two values");
  EXPECT_EQ(clip_by([](auto& node) { set_text(node, "value_string", "a"); }),
            "m.onnx: node k_node: Constant (opset 13) with value_string is not supported; upres runs value, "
            "value_float(s) and value_int(s)");
  EXPECT_EQ(clip_by([](auto& node) { set_text(node, "sparse_value", "a"); }),
            "m.onnx: node k_node: Constant (opset 13) with sparse_value is not supported; upres runs value, "
            "value_float(s) and value_int(s)");
}

TEST(ImportIdentity, OfAPictureStaysANode) {
  EXPECT_EQ(describe_node(import(half_with_clip()), "y_node"), "");
}

}  // namespace
}  // namespace upres::onnx
