#include "graph/passes/passes.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/interpreter.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;
using Dims = std::vector<int64_t>;

const std::vector<int> kCrd = {0, 1, 4, 2, 5, 3};
const std::vector<int> kDcr = {0, 3, 4, 1, 5, 2};

Graph spelled(int in_channels, Dims split, std::vector<int> permutation, Dims join, int out_channels) {
  GraphBuilder b;
  const ValueId parts = b.reshape(b.input(in_channels), std::move(split), in_channels, "split");
  const ValueId moved = b.transpose(parts, std::move(permutation), "swap");
  return b.output(b.reshape(moved, std::move(join), out_channels, "join"));
}

// The operator that is left of a fused graph, or nothing.
std::string fused(Graph graph) {
  if (fuse_pixel_shuffle(graph) == PassStatus::unchanged) return "";
  EXPECT_TRUE(verify_runnable(graph));
  EXPECT_EQ(graph.nodes().size(), 1U);
  return describe(graph.nodes()[0].op);
}

TEST(FusePixelShuffle, AsPyTorchExportsIt) {
  Graph graph = spelled(9, {-1, 1, 3, 3, 224, 224}, kCrd, {-1, 1, 672, 672}, 1);
  EXPECT_EQ(fuse_pixel_shuffle(graph), PassStatus::changed);
  EXPECT_EQ(to_text(graph), R"(input %input: 9 f32 planar
%join = depth_to_space(%input) block 3 crd   # split
output %join: 1 f32 planar
)");
}

TEST(FusePixelShuffle, OpenSizesAndBatches) {
  EXPECT_EQ(fused(spelled(12, {1, 3, 2, 2, 5, 7}, kCrd, {1, 3, 10, 14}, 3)), "block 2 crd");
  EXPECT_EQ(fused(spelled(12, {0, 3, 2, 2, 5, -1}, kCrd, {0, 3, 10, -1}, 3)), "block 2 crd");
  EXPECT_EQ(fused(spelled(12, {0, 3, 2, 2, -1, 7}, kCrd, {-1, 0, 10, 14}, 3)), "block 2 crd");
  EXPECT_EQ(fused(spelled(12, {-1, 2, 2, 3, 5, 7}, kDcr, {-1, 3, 10, 14}, 3)), "block 2 dcr");
}

TEST(FusePixelShuffle, RefusesWhatIsNone) {
  EXPECT_EQ(fused(spelled(9, {-1, 1, 3, 3, 4, 4}, {0, 1, 4, 3, 5, 2}, {-1, 1, 12, 12}, 1)), "")
      << "axes swapped";
  EXPECT_EQ(fused(spelled(9, {-1, 1, 3, 3, 4, 4}, kCrd, {-1, 1, 16, 9}, 1)), "") << "another shape";
  EXPECT_EQ(fused(spelled(9, {-1, 1, 3, 3, 4, 4}, kCrd, {-1, 9, 4, 4}, 9)), "") << "other channels";
  EXPECT_EQ(fused(spelled(18, {-1, 1, 3, 3, 4, 4}, kCrd, {-1, 1, 12, 12}, 1)), "")
      << "batch made of channels";
  EXPECT_EQ(fused(spelled(6, {-1, 1, 2, 3, 4, 4}, kCrd, {-1, 1, 8, 12}, 1)), "") << "no square block";
  EXPECT_EQ(fused(spelled(9, {2, 1, 3, 3, 4, 4}, kCrd, {1, 1, 12, 24}, 1)), "") << "batches joined";
  EXPECT_EQ(fused(spelled(9, {1, 1, 3, 3, 0, 4}, kCrd, {1, 1, 0, 12}, 1)), "") << "zeros copy another axis";
  EXPECT_EQ(fused(spelled(9, {1, 9, 4, 4}, {0, 1, 2, 3}, {1, 1, 12, 12}, 1)), "") << "other ranks";
  EXPECT_EQ(fused(spelled(9, {1, 1, -3, -3, 4, 4}, kCrd, {1, 1, 12, 12}, 1)), "") << "hostile sizes";
  EXPECT_EQ(fused(spelled(9, {1, 1, int64_t{1} << 62, int64_t{1} << 62, 4, 4}, kCrd, {1, 1, 12, 12}, 1)), "");
}

TEST(FusePixelShuffle, RefusesWhenAPartIsNeededElsewhere) {
  Graph graph = spelled(9, {-1, 1, 3, 3, 4, 4}, kCrd, {-1, 1, 12, 12}, 1);
  graph.add_output(graph.nodes()[1].outputs[0]);
  EXPECT_EQ(fuse_pixel_shuffle(graph), PassStatus::unchanged);
}

TEST(FusePixelShuffle, ComputesTheSame) {
  for (const bool crd : {true, false}) {
    const Dims split = crd ? Dims{-1, 2, 3, 3, 4, 5} : Dims{-1, 3, 3, 2, 4, 5};
    Graph graph = spelled(18, split, crd ? kCrd : kDcr, {-1, 2, 12, 15}, 2);
    const testing::Array in = testing::arange({1, 18, 4, 5});
    const testing::Array before = testing::interpret(graph, in);
    ASSERT_EQ(fuse_pixel_shuffle(graph), PassStatus::changed);
    const testing::Array after = testing::interpret(graph, in);
    EXPECT_EQ(before.dims, after.dims);
    EXPECT_EQ(before.data, after.data);
  }
}

}  // namespace
}  // namespace upres::graph
