#include "kernels/reference.h"

#include <gtest/gtest.h>

#include "one_node.h"

namespace upres::kernels {
namespace {

// conv (edge detector) -> clip -> depth_to_space, by hand.
TEST(Reference, RunsAGraphInOrder) {
  graph::Graph graph;
  const auto in = graph.add_value("in", planar(1));
  const auto features = graph.add_value("features", planar(4));
  const auto clipped = graph.add_value("clipped", planar(4));
  const auto out = graph.add_value("out", planar(1));
  graph.add_input(in);
  graph.add_output(out);
  graph.add_output(features);
  const auto values = [](std::vector<float> numbers) {
    return std::make_shared<const std::vector<float>>(std::move(numbers));
  };
  const graph::Conv conv = {.in_channels = 1,
                            .out_channels = 4,
                            .kernel_height = 1,
                            .kernel_width = 1,
                            .padding = {},
                            .apply_relu = false,
                            .weights = values({1, 2, 3, -4}),
                            .biases = values({0, 0, 0, 0.5F})};
  graph.add_node({.name = "conv", .op = conv, .inputs = {in}, .outputs = {features}, .origin = {}});
  graph.add_node(
      {.name = "clip", .op = graph::Clip{0, 1}, .inputs = {features}, .outputs = {clipped}, .origin = {}});
  graph.add_node({.name = "shuffle",
                  .op = graph::DepthToSpace{2, graph::ShuffleMode::crd},
                  .inputs = {clipped},
                  .outputs = {out},
                  .origin = {}});
  const std::vector<Tensor> inputs = {tensor_of<float>(planar(1), {1, 1}, {0.25F})};
  const auto results = run_reference(graph, inputs);
  ASSERT_TRUE(results.has_value());
  ASSERT_EQ(results->size(), 2U);
  EXPECT_EQ(elements<float>((*results)[0]), (std::vector<float>{0.25F, 0.5F, 0.75F, 0}));
  EXPECT_EQ(elements<float>((*results)[1]), (std::vector<float>{0.25F, 0.5F, 0.75F, -0.5F}));
}

TEST(Reference, RefusesWhatHasNoDefinition) {
  const graph::Graph graph = one_node(graph::Reshape{{1, 1, 1, 1}}, {planar(1)}, {planar(1)});
  const std::vector<Tensor> inputs = {Tensor(planar(1), {1, 1})};
  const std::vector<Extent> extents = {{1, 1}, {1, 1}};
  const auto results = run_reference(graph, graph.nodes()[0], inputs, extents, {});
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ErrorCode::model);
  EXPECT_NE(results.error().message.find("tested"), std::string::npos);
}

TEST(Reference, IdentityCopies) {
  const Tensor in = tensor_of<float>(planar(1), {2, 1}, {1, 2});
  EXPECT_EQ(run_one(graph::Identity{}, {in}, {planar(1)})[0].bytes, in.bytes);
}

TEST(Reference, PassesOnWhyAGraphHasNoExtents) {
  graph::Conv conv = {.in_channels = 1,
                      .out_channels = 1,
                      .kernel_height = 5,
                      .kernel_width = 5,
                      .padding = {},
                      .apply_relu = false,
                      .weights = std::make_shared<const std::vector<float>>(25),
                      .biases = std::make_shared<const std::vector<float>>(1)};
  const graph::Graph graph = one_node(conv, {planar(1)}, {planar(1)});
  const std::vector<Tensor> inputs = {Tensor(planar(1), {2, 2})};
  const auto results = run_reference(graph, inputs);
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ErrorCode::model);
}

}  // namespace
}  // namespace upres::kernels
