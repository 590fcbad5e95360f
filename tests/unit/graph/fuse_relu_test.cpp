#include "graph/passes/passes.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/interpreter.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;

TEST(FuseRelu, IntoTheConvolutionBefore) {
  GraphBuilder b;
  const ValueId first = b.relu(b.relu(b.conv(b.input(1), 2, 3, "c1"), "r1"), "again");
  Graph graph = b.output(b.conv(first, 1, 3, "c2"));
  EXPECT_EQ(fuse_relu(graph), PassStatus::changed);
  EXPECT_TRUE(verify(graph));
  EXPECT_EQ(to_text(graph), R"(input %input: 1 f32 planar
%again = conv(%input) 1->2 3x3 pad 1,1,1,1 relu   # c1
%c2 = conv(%again) 2->1 3x3 pad 1,1,1,1   # c2
output %c2: 1 f32 planar
)");
}

TEST(FuseRelu, NotWhenTheSumIsNeededToo) {
  GraphBuilder b;
  const ValueId conv = b.conv(b.input(1), 1, 3, "conv");
  b.graph().add_output(conv);
  Graph leaves = b.output(b.relu(conv, "relu"));
  EXPECT_EQ(fuse_relu(leaves), PassStatus::unchanged);

  GraphBuilder two;
  const ValueId shared = two.conv(two.input(1), 1, 3, "conv");
  two.relu(shared, "r1");
  Graph read_twice = two.output(two.relu(shared, "r2"));
  EXPECT_EQ(fuse_relu(read_twice), PassStatus::unchanged);
}

TEST(FuseRelu, OtherClipsStay) {
  for (const auto& [min, max] : {std::pair{0.0F, 6.0F}, std::pair{-1.0F, testing::kInfinity}}) {
    GraphBuilder b;
    Graph graph = b.output(b.clip(b.conv(b.input(1), 1, 3, "conv"), min, max, "clip"));
    EXPECT_EQ(fuse_relu(graph), PassStatus::unchanged) << min << ".." << max;
  }
  GraphBuilder alone;
  Graph graph = alone.output(alone.relu(alone.input(1), "relu"));
  EXPECT_EQ(fuse_relu(graph), PassStatus::unchanged) << "no convolution before it";
}

TEST(FuseRelu, ComputesTheSame) {
  GraphBuilder b;
  Conv conv = testing::conv_op(1, 2, 3, 3, {1, 1, 1, 1});
  std::vector<float> values(18);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 5) - 2;
  conv.weights = std::make_shared<const std::vector<float>>(values);
  conv.biases = testing::weights(2, -3);
  Graph graph = b.output(b.relu(b.node(conv, b.input(1), testing::planes(2), "conv"), "relu"));
  const testing::Array in = testing::arange({1, 1, 4, 5});
  const testing::Array before = testing::interpret(graph, in);
  ASSERT_EQ(fuse_relu(graph), PassStatus::changed);
  EXPECT_EQ(testing::interpret(graph, in).data, before.data);
}

}  // namespace
}  // namespace upres::graph
