#include "graph/verify.h"
#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

std::string shuffled(int64_t opset, int64_t channels, int64_t block, const std::string& mode) {
  ModelBuilder b(opset);
  b.input("x", {1, channels, -1, -1});
  proto::NodeProto& node = b.node("DepthToSpace", {"x"}, "y");
  set_int(node, "blocksize", block);
  if (!mode.empty()) set_text(node, "mode", mode);
  b.output("y");
  return describe_node(import(b), "y_node");
}

TEST(ImportDepthToSpace, Modes) {
  EXPECT_EQ(shuffled(11, 27, 3, "DCR"), "block 3 dcr");
  EXPECT_EQ(shuffled(11, 27, 3, "CRD"), "block 3 crd");
  EXPECT_EQ(shuffled(11, 27, 3, ""), "block 3 dcr") << "the standard's default";
  EXPECT_EQ(shuffled(1, 27, 3, ""), "block 3 dcr");
  EXPECT_EQ(shuffled(11, 27, 3, "RCD"), "m.onnx: node y_node: attribute mode: unknown value RCD");
}

TEST(ImportDepthToSpace, BlockAndChannels) {
  EXPECT_EQ(shuffled(11, 26, 3, ""), "m.onnx: node y_node: blocksize 3 does not fit 26 channels");
  EXPECT_EQ(shuffled(11, 4, 0, ""), "m.onnx: node y_node: blocksize 0 does not fit 4 channels");
  EXPECT_EQ(shuffled(11, 4, -2, ""), "m.onnx: node y_node: blocksize -2 does not fit 4 channels");
  // 2^32 squared is 0 modulo 2^64.
  EXPECT_EQ(shuffled(11, 4, int64_t{1} << 32, ""),
            "m.onnx: node y_node: blocksize 4294967296 does not fit 4 channels");
}

// Reshape, Transpose, Reshape of an input with these sizes.
ModelBuilder spelled(const Dims& input, const Dims& split, const Dims& axes, const Dims& join,
                     int64_t opset = 13) {
  ModelBuilder b(opset);
  b.input("x", input);
  b.integers("split_shape", split);
  b.integers("join_shape", join);
  b.node("Reshape", {"x", "split_shape"}, "split");
  set_ints(b.node("Transpose", {"split"}, "swapped"), "perm", axes);
  b.node("Reshape", {"swapped", "join_shape"}, "y");
  b.output("y");
  return b;
}

const Dims kCrd = {0, 1, 4, 2, 5, 3};
const Dims kDcr = {0, 3, 4, 1, 5, 2};

std::string fused(const ModelBuilder& b) {
  auto model = import(b);
  if (!model) return model.error().message;
  if (auto status = graph::simplify(model->graph); !status) return status.error().message;
  if (auto status = graph::verify_runnable(model->graph); !status) return status.error().message;
  return graph::describe(model->graph.nodes()[0].op);
}

TEST(ImportReshape, PixelShuffles) {
  EXPECT_EQ(fused(spelled({-1, 9, 4, 6}, {-1, 1, 3, 3, 4, 6}, kCrd, {-1, 1, 12, 18})), "block 3 crd");
  EXPECT_EQ(fused(spelled({1, 12, 4, 6}, {1, 3, 2, 2, 4, 6}, kCrd, {1, 3, 8, 12})), "block 2 crd");
  EXPECT_EQ(fused(spelled({1, 12, 4, 6}, {1, 2, 2, 3, 4, 6}, kDcr, {1, 3, 8, -1})), "block 2 dcr");
  EXPECT_EQ(fused(spelled({-1, 12, 4, 6}, {0, 3, 2, 2, 4, -1}, kCrd, {0, 3, -1, 12})), "block 2 crd");
  EXPECT_EQ(fused(spelled({-1, 9, -1, -1}, {-1, 1, 3, 3, 4, 6}, kCrd, {-1, 1, 12, 18})), "block 3 crd")
      << "declared free, but exported for one size";
}

// 4x6 read as 6x4 is valid ONNX, but no shuffle of a picture.
TEST(ImportReshape, ThePicturesSizeMustPassThrough) {
  EXPECT_EQ(fused(spelled({1, 9, 4, 6}, {1, 1, 3, 3, 6, 4}, kCrd, {1, 1, 18, 12})),
            "m.onnx: node split_node: Reshape (opset 13) with 1x9x4x6 to 1x1x3x3x6x4 is not supported; upres "
            "runs only "
            "pixel shuffles");
}

TEST(ImportReshape, OtherRearrangementsAreRefusedByName) {
  const std::string message =
      fused(spelled({1, 9, 4, 6}, {1, 1, 3, 3, 4, 6}, {0, 1, 4, 3, 5, 2}, {1, 1, 12, 18}));
  EXPECT_EQ(
      message,
      "node split_node (Reshape, opset 13): reshape runs only as part of a Reshape-Transpose-Reshape pixel "
      "shuffle");
}

TEST(ImportReshape, SizesMustFit) {
  const auto reshaped = [](const Dims& input, const Dims& shape) {
    ModelBuilder b;
    b.input("x", input);
    b.integers("shape", shape);
    b.node("Reshape", {"x", "shape"}, "y");
    b.output("y");
    return describe_node(import(b), "y_node");
  };
  const std::string no = "m.onnx: node y_node: a tensor of ";
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {1, 4, 7, 1}), no + "1x4x2x3 cannot become [1,4,7,1]");
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {1, 4, -1, 5}), no + "1x4x2x3 cannot become [1,4,-1,5]");
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {1, -1, -1, 6}), no + "1x4x2x3 cannot become [1,-1,-1,6]");
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {1, 4, -2, 3}), no + "1x4x2x3 cannot become [1,4,-2,3]");
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {1, 4, 2, 3, 0}), no + "1x4x2x3 cannot become [1,4,2,3,0]");
  EXPECT_EQ(reshaped({-1, 4, 2, 3}, {-1, 4, 2, 2}), no + "?x4x2x3 cannot become [-1,4,2,2]");
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {INT64_MAX, INT64_MAX, 2, 3}),
            no + "1x4x2x3 cannot become [9223372036854775807,9223372036854775807,2,3]");
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {0, 0, -1, 3}), "[0,0,-1,3]");
  EXPECT_EQ(reshaped({-1, 4, 2, 3}, {0, 4, -1, 6}), "[0,4,-1,6]");
  EXPECT_EQ(reshaped({1, 4, -1, -1}, {1, -1, 2, 3}),
            "m.onnx: node y_node: the number of channels that it makes is not fixed");
  EXPECT_EQ(reshaped({1, 4, 2, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 24}),
            "m.onnx: node y_node: Reshape (opset 13) with 9 dimensions is not supported; upres runs 1 to 8");
}

TEST(ImportReshape, ShapeMustBeAConstantOfIntegers) {
  ModelBuilder b = spelled({1, 9, 4, 6}, {1, 1, 3, 3, 4, 6}, kCrd, {1, 1, 12, 18});
  b.graph().mutable_node(0)->set_input(1, "x");
  expect_failure(import(b), "node split_node: input x (shape) is computed at run time");
  b = spelled({1, 9, 4, 6}, {1, 1, 3, 3, 4, 6}, kCrd, {1, 1, 12, 18});
  b.graph().mutable_initializer(0)->set_data_type(TensorProto::FLOAT);
  expect_failure(import(b), "node split_node: tensor split_shape: type FLOAT; integers must be INT64");
  b = spelled({1, 9, 4, 6}, {1, 1, 3, 3, 4, 6}, kCrd, {1, 1, 12, 18});
  set_int(*b.graph().mutable_node(0), "allowzero", 1);
  expect_failure(import(b), "Reshape (opset 13) with allowzero is not supported");
}

TEST(ImportReshape, BeforeOpset5TheShapeIsAnAttribute) {
  ModelBuilder b(4);
  b.input("x", {1, 4, 2, 3});
  set_ints(b.node("Reshape", {"x"}, "y"), "shape", {1, 1, -1, 4});
  b.output("y");
  EXPECT_EQ(describe_node(import(b), "y_node"), "[1,1,-1,4]");
}

TEST(ImportTranspose, Axes) {
  ModelBuilder b = spelled({1, 9, 4, 6}, {1, 1, 3, 3, 4, 6}, {0, 1, 4, 2, 5}, {1, 1, 12, 18});
  expect_failure(import(b), "node swapped_node: attribute perm: no permutation of 6 axes");
  b = spelled({1, 9, 4, 6}, {1, 1, 3, 3, 4, 6}, {0, 1, 4, 2, 5, 5}, {1, 1, 12, 18});
  expect_failure(import(b), "node swapped_node: attribute perm: no permutation of 6 axes");
  ModelBuilder reversed;
  reversed.input("x", {1, 9, 4, 6});
  reversed.node("Transpose", {"x"}, "y");
  reversed.output("y");
  EXPECT_EQ(describe_node(import(reversed), "y_node"), "[3,2,1,0]");
}

}  // namespace
}  // namespace upres::onnx
