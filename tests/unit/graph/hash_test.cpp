#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;

Graph one_conv(const std::string& name, float weight, const Padding& padding) {
  GraphBuilder b;
  Conv conv = testing::conv_op(1, 1, 3, 3, padding);
  conv.weights = testing::weights(9, weight);
  return b.output(b.node(conv, b.input(1, name + "_in"), testing::planes(1), name));
}

TEST(ContentHash, IgnoresNamesOnly) {
  const uint64_t hash = content_hash(one_conv("a", 1, {1, 1, 1, 1}));
  EXPECT_EQ(hash, content_hash(one_conv("b", 1, {1, 1, 1, 1})));
  EXPECT_NE(hash, content_hash(one_conv("a", 2, {1, 1, 1, 1})));
  EXPECT_NE(hash, content_hash(one_conv("a", 1, {2, 0, 1, 1})));
}

TEST(ContentHash, SeesOperatorsTypesAndWiring) {
  const auto clipped = [](float max, int channels) {
    GraphBuilder b;
    return b.output(b.clip(b.input(channels), 0, max, "clip"));
  };
  EXPECT_NE(content_hash(clipped(1, 1)), content_hash(clipped(1.0000001F, 1)));
  EXPECT_NE(content_hash(clipped(1, 1)), content_hash(clipped(1, 2)));
  GraphBuilder other;
  const ValueId in = other.input(1);
  other.clip(in, 0, 1, "clip");
  EXPECT_NE(content_hash(clipped(1, 1)), content_hash(other.output(in)));
}

TEST(ContentHash, SeesBiases) {
  GraphBuilder a;
  GraphBuilder b;
  const Conv plain = testing::conv_op(1, 1, 1, 1, {});
  Conv biased = plain;
  biased.biases = testing::weights(1, 0.5F);
  EXPECT_NE(content_hash(a.output(a.node(plain, a.input(1), testing::planes(1), "c"))),
            content_hash(b.output(b.node(biased, b.input(1), testing::planes(1), "c"))));
}

TEST(ParameterCount, CountsWeightsAndBiases) {
  EXPECT_EQ(parameter_count(testing::espcn(1, 3)), 5U * 5 * 8 + 8 + 3 * 3 * 8 * 9 + 9);
}

}  // namespace
}  // namespace upres::graph
