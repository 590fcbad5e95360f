#include "graph/passes/passes.h"
#include "graph/text.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/interpreter.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;
using testing::numbered;

// The whole of what an exporter may write around a small network.
Graph untidy() {
  GraphBuilder b;
  const ValueId in = b.input(1);
  b.conv(in, 5, 3, "dead");
  const ValueId first = b.identity(b.relu(b.identity(b.conv(in, 3, 5, "conv1"), "i1"), "relu1"), "i2");
  const ValueId features = b.conv(first, 4, 3, "conv2");
  const ValueId split = b.reshape(features, {-1, 1, 2, 2, 4, 4}, 4, "split");
  const ValueId join = b.reshape(b.transpose(split, {0, 1, 4, 2, 5, 3}, "swap"), {-1, 1, 8, 8}, 1, "join");
  return b.output(b.identity(join, "output"));
}

TEST(Simplify, TidiesUp) {
  Graph graph = untidy();
  const auto status = simplify(graph);
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(to_text(graph), R"(input %input: 1 f32 planar
%relu1 = conv(%input) 1->3 5x5 pad 2,2,2,2 relu   # conv1
%conv2 = conv(%relu1) 3->4 3x3 pad 1,1,1,1   # conv2
%output = depth_to_space(%conv2) block 2 crd   # split
output %output: 1 f32 planar
)");
  const testing::Array in = testing::arange({1, 1, 4, 4});
  EXPECT_EQ(testing::interpret(graph, in).data, testing::interpret(untidy(), in).data);
}

TEST(Simplify, RefusesABrokenGraph) {
  Graph graph = untidy();
  std::swap(graph.mutable_nodes()[1], graph.mutable_nodes()[2]);
  testing::expect_failure(simplify(graph), "before it is made");
}

// Every pass is linear: this takes well under a second.
TEST(Simplify, ALongChain) {
  GraphBuilder b;
  ValueId value = b.input(1);
  for (int i = 0; i < 100000; ++i) value = b.clip(value, 0, static_cast<float>(i + 1), numbered("c", i));
  Graph graph = b.output(value);
  EXPECT_TRUE(simplify(graph));
  EXPECT_EQ(graph.nodes().size(), 100000U);
}

}  // namespace
}  // namespace upres::graph
