#include "graph/passes/passes.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;

TEST(RemoveDeadNodes, WholeBranchesAndTheirValues) {
  GraphBuilder b;
  const ValueId in = b.input(1);
  b.value("nobody", testing::planes(1));
  b.relu(b.conv(in, 1, 3, "dead1"), "dead2");
  Graph graph = b.output(b.conv(in, 1, 3, "live"));
  EXPECT_EQ(remove_dead_nodes(graph), PassStatus::changed);
  EXPECT_TRUE(verify(graph));
  EXPECT_EQ(to_text(graph), R"(input %input: 1 f32 planar
%live = conv(%input) 1->1 3x3 pad 1,1,1,1   # live
output %live: 1 f32 planar
)");
  EXPECT_EQ(graph.values().size(), 2U);
  EXPECT_EQ(remove_dead_nodes(graph), PassStatus::unchanged);
}

TEST(RemoveDeadNodes, InputsStay) {
  GraphBuilder b;
  b.input(1, "unused");
  Graph graph = b.output(b.input(1, "used"));
  EXPECT_EQ(remove_dead_nodes(graph), PassStatus::unchanged);
  EXPECT_EQ(graph.inputs().size(), 2U);
}

TEST(RemoveDeadNodes, ANodeWithOneUsedOutputKeepsBoth) {
  GraphBuilder b;
  const ValueId in = b.input({DType::u8, Layout::interleaved, 3}, "pixels");
  const ValueId luma = b.value("planes", testing::planes(1));
  b.add({"encode", Encode{}, {in}, {luma, b.value("side", testing::planes(2))}, ""});
  Graph graph = b.output(luma);
  EXPECT_EQ(remove_dead_nodes(graph), PassStatus::unchanged);
  EXPECT_TRUE(verify(graph));
}

}  // namespace
}  // namespace upres::graph
