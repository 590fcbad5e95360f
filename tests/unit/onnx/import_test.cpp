#include "onnx/import.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "graph/picture.h"
#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

TEST(Import, ADepthToSpaceNetwork) {
  const auto model = import(espcn_depth_to_space());
  EXPECT_EQ(text_of(model), R"(input %x: 3 f32 planar
%c1 = conv(%x) 3->4 5x5 pad 2,2,2,2   # c1_node
%r1 = clip(%c1) 0..inf   # r1_node
%c2 = conv(%r1) 4->12 3x3 pad 1,1,1,1   # c2_node
%y = depth_to_space(%c2) block 2 crd   # y_node
output %y: 3 f32 planar
)");
  EXPECT_EQ(model->opset, 13);
  EXPECT_EQ(model->producer, "test");
  ASSERT_EQ(model->inputs.size(), 1U);
  EXPECT_EQ(model->inputs[0].name, "x");
  EXPECT_EQ(model->inputs[0].dtype, DType::f32);
  EXPECT_EQ(model->inputs[0].declared_dims, (Dims{-1, 3, -1, -1}));
  EXPECT_EQ(model->graph.nodes()[0].origin, "Conv, opset 13");
  const auto kind = graph::inspect_picture_network(model->graph);
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->factor, 2);
}

TEST(Import, ASpelledOutShuffleWithFixedSizes) {
  EXPECT_EQ(simplified_text(import(espcn_reshape())), R"(input %x: 1 f32 planar
%r1 = conv(%x) 1->4 3x3 pad 1,1,1,1 relu   # c1_node
%c2 = conv(%r1) 4->9 3x3 pad 1,1,1,1   # c2_node
%y = depth_to_space(%c2) block 3 crd   # split_node
output %y: 1 f32 planar
)");
  const auto model = import(espcn_reshape());
  ASSERT_EQ(model->inputs.size(), 1U) << "initializers are no inputs";
  EXPECT_EQ(model->inputs[0].declared_dims, (Dims{-1, 1, 6, 8}));
  EXPECT_EQ(model->outputs[0].declared_dims, (Dims{-1, 1, 18, 24}));
}

TEST(Import, AHalfNetwork) {
  const auto model = import(half_with_clip());
  EXPECT_EQ(text_of(model), R"(input %x: 1 f32 planar
%c = conv(%x) 1->1 2x2 pad 1,1,0,0   # c_node
%clipped = clip(%c) -inf..1   # clipped_node
%y = identity(%clipped)   # y_node
output %y: 1 f32 planar
)");
  EXPECT_EQ(model->inputs[0].dtype, DType::f16);
  EXPECT_EQ(model->outputs[0].dtype, DType::f16);
  EXPECT_EQ(*std::get<graph::Conv>(model->graph.nodes()[0].op).weights, ramp(4));
}

TEST(Import, SeveralInputsAndOutputs) {
  ModelBuilder b;
  b.input("a", {1, 1, -1, -1});
  b.input("b", {1, 2, -1, -1}, TensorProto::FLOAT16);
  b.node("Relu", {"b"}, "rb");
  b.node("Relu", {"a"}, "ra");
  b.output("ra");
  b.output("rb").clear_type();
  const auto model = import(b);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->inputs[1].name, "b");
  EXPECT_EQ(model->inputs[1].dtype, DType::f16);
  EXPECT_EQ(model->outputs[0].name, "ra");
  EXPECT_EQ(model->outputs[1].name, "rb");
  EXPECT_EQ(model->graph.value(model->graph.outputs()[1]).type.channels, 2);
}

TEST(Import, UnusedInitializersMayBeAnything) {
  ModelBuilder b = espcn_depth_to_space();
  TensorProto& unused = b.initializer("unused", {2});
  unused.set_data_type(TensorProto::STRING);
  unused.set_data_location(TensorProto::EXTERNAL);
  EXPECT_TRUE(import(b));
}

TEST(Import, NamesTheOperatorThatIsNotSupported) {
  ModelBuilder b = espcn_depth_to_space(11);
  b.node("ConvTranspose", {"y", "c1_w"}, "up").set_name("conv_transpose_1");
  EXPECT_EQ(
      text_of(import(b)),
      "m.onnx: node conv_transpose_1: operator ConvTranspose (opset 11) is not supported; upres runs Clip, "
      "Constant, Conv, DepthToSpace, Identity, Relu, Reshape, Transpose");
}

TEST(Import, NamesOperatorsOfOtherDomainsAndNodesWithoutAName) {
  ModelBuilder b = espcn_depth_to_space(18);
  auto& opset = *b.model.add_opset_import();
  opset.set_domain("com.microsoft.extensions");
  opset.set_version(1);
  proto::NodeProto& node = b.node("Conv", {"y"}, "picture");
  node.set_domain("com.microsoft.extensions");
  node.clear_name();
  expect_failure(import(b),
                 "m.onnx: node Conv_4: operator com.microsoft.extensions.Conv (opset 1) is not supported");
}

// A model that cannot run is refused for its operators, whatever else is wrong with it.
TEST(Import, OperatorsAreCheckedFirst) {
  ModelBuilder b;
  b.input("x", {-1}, TensorProto::UINT8);
  b.node("Shape", {"x"}, "y");
  expect_failure(import(b), "node y_node: operator Shape (opset 13)");
}

TEST(Import, Opsets) {
  ModelBuilder none = espcn_depth_to_space();
  none.model.clear_opset_import();
  expect_failure(import(none), "it does not say which opset it uses");
  none.model.set_ir_version(2);
  none.model.mutable_graph()->mutable_node(3)->mutable_attribute()->RemoveLast();
  const auto old = import(none);
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->opset, 1);

  ModelBuilder named = espcn_depth_to_space();
  named.model.mutable_opset_import(0)->set_domain("ai.onnx");
  EXPECT_TRUE(import(named));
  named.model.add_opset_import()->set_version(9);
  expect_failure(import(named), "it names two versions");
  named.model.clear_opset_import();
  named.model.add_opset_import()->set_version(-3);
  expect_failure(import(named), "it does not say which opset it uses");
  for (const int64_t opset : {11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23}) {
    EXPECT_TRUE(import(espcn_depth_to_space(opset))) << opset;
  }
}

TEST(Import, WhatIsNoModel) {
  expect_failure(import_bytes(""), "m.onnx: it is empty");
  expect_failure(import_bytes("\x89PNG\r\n\x1a\n and so on"), "it is no ONNX model, or it is damaged");
  expect_failure(import_bytes("# README\n"), "it is no ONNX model, or it is damaged");
  expect_failure(import_bytes(std::string("\x08\x07", 2)), "it is no ONNX model, or it is damaged");
  ModelBuilder no_version = espcn_depth_to_space();
  no_version.model.clear_ir_version();
  expect_failure(import(no_version), "it is no ONNX model");
}

TEST(Import, KindsOfModelsThatAreRefused) {
  ModelBuilder b = espcn_depth_to_space();
  b.model.add_functions();
  expect_failure(import(b), "it defines functions of its own");
  b = espcn_depth_to_space();
  b.graph().add_sparse_initializer();
  expect_failure(import(b), "it has sparse weights");
  b = espcn_depth_to_space();
  b.graph().add_quantization_annotation();
  expect_failure(import(b), "it is quantised");
}

TEST(Import, Inputs) {
  const auto with_input = [](const Dims& dims, int32_t type) {
    ModelBuilder b;
    b.input("x", dims, type);
    b.node("Relu", {"x"}, "y");
    b.output("y");
    return import(b);
  };
  EXPECT_TRUE(with_input({4, 7, 0, 5}, TensorProto::FLOAT));
  expect_failure(with_input({3, 4, 5}, TensorProto::FLOAT),
                 "input x: its shape is 3x4x5; upres needs 4 dimensions");
  expect_failure(with_input({}, TensorProto::FLOAT), "input x: its shape is scalar");
  expect_failure(with_input({1, -1, 8, 8}, TensorProto::FLOAT),
                 "input x: its shape is 1x?x8x8; upres needs a fixed");
  expect_failure(with_input({1, 65537, 8, 8}, TensorProto::FLOAT), "needs a fixed number of channels");
  expect_failure(with_input({1, 3, 8, 8}, TensorProto::UINT8), "input x: type UINT8");
  expect_failure(with_input({1, 3, 8, 8}, TensorProto::DOUBLE), "input x: type DOUBLE");
  expect_failure(with_input({1, 3, 8, 8}, 77), "input x: type 77");

  ModelBuilder sequence;
  sequence.input("x", {1, 1, 2, 2}).mutable_type()->mutable_sequence_type();
  sequence.node("Relu", {"x"}, "y");
  expect_failure(import(sequence), "input x: no tensor");
  ModelBuilder none;
  none.initializer("w", {1});
  none.node("Identity", {"w"}, "y");
  none.output("y");
  expect_failure(import(none), "it has no input");
}

TEST(Import, Outputs) {
  ModelBuilder b = espcn_depth_to_space();
  b.graph().clear_output();
  expect_failure(import(b), "it has no output");
  b.output("nobody");
  expect_failure(import(b), "output nobody: no node makes it");
  b.graph().clear_output();
  b.output("c1_w");
  expect_failure(import(b), "output c1_w: it is a constant");
  b.graph().clear_output();
  b.output("y");
  b.output("y");
  expect_failure(import(b), "output y: two have this name");
  b.graph().clear_output();
  b.output("y", {}, TensorProto::INT64);
  expect_failure(import(b), "output y: type INT64");
}

TEST(Import, NodesMustFitTheirOperator) {
  ModelBuilder b = espcn_depth_to_space();
  b.graph().mutable_node(1)->add_input("x");
  expect_failure(import(b), "node r1_node: 2 inputs and 1 outputs");
  b = espcn_depth_to_space();
  b.graph().mutable_node(1)->add_output("mask");
  expect_failure(import(b), "node r1_node: 1 inputs and 2 outputs");
  b = espcn_depth_to_space();
  b.graph().mutable_node(1)->clear_output();
  expect_failure(import(b), "node r1_node: 1 inputs and 0 outputs");
  b = espcn_depth_to_space();
  set_float(*b.graph().mutable_node(1), "alpha", 0.1F);
  expect_failure(import(b), "node r1_node: attribute alpha: not known for this operator");
  b = espcn_depth_to_space();
  set_int(*b.graph().mutable_node(3), "blocksize", 2);
  expect_failure(import(b), "node y_node: attribute blocksize: given twice");
  b = espcn_depth_to_space();
  b.graph().mutable_node(3)->mutable_attribute(0)->set_ref_attr_name("outer");
  expect_failure(import(b), "node y_node: attribute blocksize: refers to a function");
  b = espcn_depth_to_space();
  b.graph().mutable_node(3)->clear_attribute();
  set_float(*b.graph().mutable_node(3), "blocksize", 2);
  expect_failure(import(b), "node y_node: attribute blocksize: must be an integer");
}

TEST(Import, AttributesWithoutATypeTellItByTheirField) {
  ModelBuilder b = espcn_depth_to_space();
  for (proto::NodeProto& node : *b.graph().mutable_node()) {
    for (proto::AttributeProto& attribute : *node.mutable_attribute()) attribute.clear_type();
  }
  EXPECT_EQ(text_of(import(b)), text_of(import(espcn_depth_to_space())));
}

// A folder that is removed at the end.
class ImportFile : public ::testing::Test {
 protected:
  ImportFile() {
    std::string pattern = ::testing::TempDir() + "upres_onnx_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~ImportFile() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string folder_;
};

TEST_F(ImportFile, ReadsAFile) {
  const auto model = import_file(write("a b[1]%s.onnx", espcn_depth_to_space().bytes()));
  EXPECT_EQ(text_of(model), text_of(import(espcn_depth_to_space())));
}

TEST_F(ImportFile, NamesTheFile) {
  const std::string bad = write("bad.onnx", "bad");
  expect_failure(import_file(bad), bad + ": it is no ONNX model");
  expect_failure(import_file(write("two\nlines.onnx", "bad")), "two\\nlines.onnx: it is no ONNX model");
  expect_failure(import_file(write("empty.onnx", "")), "empty.onnx: it is empty");
}

TEST_F(ImportFile, WhatCannotBeRead) {
  expect_failure(import_file(path("none.onnx")), "none.onnx: there is no such file");
  expect_failure(import_file(folder_), "it is no file");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_failure(import_file(path("pipe")), "it is no file");
  expect_failure(import_file("/dev/zero"), "it is no file");
  expect_failure(import_file(path(std::string(300, 'a'))), "File name too long");
  expect_failure(import_file(""), "there is no such file");
  std::filesystem::resize_file(write("huge.onnx", "x"), uint64_t{3} << 30U);
  expect_failure(import_file(path("huge.onnx")), "it is larger than 2 GiB");
}

}  // namespace
}  // namespace upres::onnx
