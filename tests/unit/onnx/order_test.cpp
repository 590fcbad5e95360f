#include <algorithm>

#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

TEST(Order, NodesMayComeInAnyOrder) {
  ModelBuilder b = espcn_reshape();
  std::reverse(b.graph().mutable_node()->begin(), b.graph().mutable_node()->end());
  EXPECT_EQ(text_of(import(b)), text_of(import(espcn_reshape())));
}

TEST(Order, TheFilesOrderIsKeptWhereItIsOne) {
  ModelBuilder b;
  b.input("x", {1, 1, -1, -1});
  for (const char* name : {"d", "b", "c", "a"}) {
    b.node("Relu", {"x"}, name);
    b.output(name);
  }
  const auto model = import(b);
  ASSERT_TRUE(model);
  std::string names;
  for (const graph::Node& node : model->graph.nodes()) names += node.name.substr(0, 1);
  EXPECT_EQ(names, "dbca");
}

TEST(Order, Cycles) {
  ModelBuilder b = espcn_depth_to_space();
  b.graph().mutable_node(1)->set_input(0, "c2");
  expect_failure(import(b), "m.onnx: tensor r1: depends on itself");
  ModelBuilder self;
  self.input("x", {1, 1, -1, -1});
  self.node("Relu", {"y"}, "y");
  self.output("y");
  expect_failure(import(self), "tensor y: depends on itself");
}

}  // namespace
}  // namespace upres::onnx
