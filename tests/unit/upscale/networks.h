// Small networks for tests.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "graph/graph.h"

namespace upres::upscale {

// One 3x3 convolution, 1 -> factor^2 channels, and a pixel shuffle: enlarges luma by `factor`.
inline graph::Graph small_network(int factor, float bias = 0) {
  graph::Graph graph;
  const auto in = graph.add_value("in", {DType::f32, Layout::planar, 1});
  const auto features = graph.add_value("features", {DType::f32, Layout::planar, factor * factor});
  const auto out = graph.add_value("out", {DType::f32, Layout::planar, 1});
  graph::Conv conv;
  conv.in_channels = 1;
  conv.out_channels = factor * factor;
  conv.kernel_height = 3;
  conv.kernel_width = 3;
  conv.padding = {1, 1, 1, 1};
  std::vector<float> weights(static_cast<size_t>(factor * factor) * 9);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = 0.1F + 0.07F * std::sin(static_cast<float>(i));
  conv.weights = std::make_shared<const std::vector<float>>(weights);
  conv.biases = std::make_shared<const std::vector<float>>(static_cast<size_t>(factor * factor), bias);
  graph.add_input(in);
  graph.add_node({"conv", conv, {in}, {features}, ""});
  graph.add_node({"shuffle", graph::DepthToSpace{factor, graph::ShuffleMode::crd}, {features}, {out}, ""});
  graph.add_output(out);
  return graph;
}

}  // namespace upres::upscale
