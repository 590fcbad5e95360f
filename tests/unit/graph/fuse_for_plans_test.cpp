// The passes that only plans run: shuffles into convolutions, convolutions into pairs.
#include <array>

#include "graph/extents.h"
#include "graph/passes/passes.h"
#include "graph/picture.h"
#include "graph/verify.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;

bool always(const Graph&, const Node&) { return true; }
bool never(const Graph&, const Node&) { return false; }

// Four convolutions and a shuffle by 3.
Graph four_convolutions() {
  GraphBuilder b;
  ValueId value = b.conv(b.input(1), 8, 5, "conv1");
  value = b.conv(value, 8, 3, "conv2");
  value = b.conv(value, 4, 3, "conv3");
  return b.output(b.shuffle(b.conv(value, 9, 3, "conv4"), 3, "shuffle"));
}

// What a plan and the tiles read from a graph stays as it was.
void expect_same_network(const Graph& fused, const Graph& graph) {
  ASSERT_TRUE(verify_runnable(fused));
  constexpr std::array kSizes = {Extent{40, 30}, Extent{1, 1}};
  for (const Extent& size : kSizes) {
    const auto before = infer_extents(graph, std::array{size});
    const auto after = infer_extents(fused, std::array{size});
    ASSERT_TRUE(before && after);
    EXPECT_EQ((*after)[fused.outputs().front()], (*before)[graph.outputs().front()]);
    EXPECT_EQ(flops(fused, *after), flops(graph, *before));
  }
  const Halo halo = receptive_field(graph);
  const Halo fused_halo = receptive_field(fused);
  EXPECT_EQ(fused_halo.left_px, halo.left_px);
  EXPECT_EQ(fused_halo.bottom_px, halo.bottom_px);
  EXPECT_EQ(parameter_count(fused), parameter_count(graph));
  const auto kind = inspect_picture_network(fused);
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->factor, inspect_picture_network(graph)->factor);
}

TEST(FuseForPlans, ShufflesThenPairs) {
  const Graph graph = four_convolutions();
  Graph fused = graph;
  EXPECT_EQ(fuse_shuffle_into_conv(fused, always), PassStatus::changed);
  EXPECT_EQ(fused.nodes().size(), graph.nodes().size() - 1);
  EXPECT_EQ(std::get<Conv>(fused.nodes().back().op).shuffle.block, 3);
  expect_same_network(fused, graph);
  EXPECT_EQ(fuse_conv_pairs(fused, always), PassStatus::changed);
  EXPECT_EQ(fused.nodes().size(), 2U);
  expect_same_network(fused, graph);
  EXPECT_EQ(fuse_conv_pairs(fused, always), PassStatus::unchanged);
}

TEST(FuseForPlans, OnlyWhatIsWanted) {
  Graph graph = four_convolutions();
  EXPECT_EQ(fuse_shuffle_into_conv(graph, never), PassStatus::unchanged);
  EXPECT_EQ(fuse_conv_pairs(graph, never), PassStatus::unchanged);
  EXPECT_EQ(graph.nodes().size(), four_convolutions().nodes().size());
}

TEST(FuseForPlans, OddPaddingAndValuesThatOthersRead) {
  GraphBuilder b;
  const ValueId first = b.conv(b.input(1), 4, 3, "first");
  const ValueId second = b.conv(first, 4, 3, "second");
  Graph graph = b.output(b.shuffle(second, 2, "shuffle"));
  std::get<Conv>(graph.mutable_nodes()[0].op).padding = {0, 2, 3, 1};
  graph.add_output(first);
  EXPECT_EQ(fuse_conv_pairs(graph, always), PassStatus::unchanged) << "the value between leaves the graph";
  EXPECT_EQ(fuse_shuffle_into_conv(graph, always), PassStatus::changed);
  EXPECT_EQ(graph.nodes().back().name, "second+shuffle");
}

TEST(FuseForPlans, AVerifierThatKnowsThem) {
  Graph graph = four_convolutions();
  fuse_shuffle_into_conv(graph, always);
  fuse_conv_pairs(graph, always);
  Graph wrong = graph;
  std::get<ConvPair>(wrong.mutable_nodes().back().op).second.shuffle.block = 2;
  EXPECT_FALSE(verify(wrong));
  wrong = graph;
  std::get<ConvPair>(wrong.mutable_nodes().back().op).first.shuffle.block = 3;
  EXPECT_FALSE(verify(wrong));
  wrong = graph;
  std::get<ConvPair>(wrong.mutable_nodes().back().op).second.in_channels += 1;
  EXPECT_FALSE(verify(wrong));
}

}  // namespace
}  // namespace upres::graph
