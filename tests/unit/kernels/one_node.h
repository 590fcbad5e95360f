// Running one operator through run_reference, for tests that know what must come out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "kernels/reference.h"

namespace upres::kernels {

inline TensorType planar(int channels) { return {DType::f32, Layout::planar, channels}; }
inline TensorType pixels_of(DType dtype, int channels) { return {dtype, Layout::interleaved, channels}; }

// A packed tensor with these elements in memory order.
template <typename T>
Tensor tensor_of(const TensorType& type, const Extent& extent, const std::vector<T>& elements) {
  Tensor tensor(type, extent);
  EXPECT_EQ(tensor.as<T>().size(), elements.size());
  std::copy(elements.begin(), elements.end(), tensor.as<T>().begin());
  return tensor;
}

template <typename T>
std::vector<T> elements(const Tensor& tensor) {
  const auto span = tensor.as<T>();
  return {span.begin(), span.end()};
}

// A graph of one node on these types.
inline graph::Graph one_node(const graph::Operator& op, const std::vector<TensorType>& inputs,
                             const std::vector<TensorType>& outputs) {
  graph::Graph graph;
  graph::Node node = {.name = "tested", .op = op, .inputs = {}, .outputs = {}, .origin = {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    node.inputs.push_back(graph.add_value("in" + std::to_string(i), inputs[i]));
    graph.add_input(node.inputs.back());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    node.outputs.push_back(graph.add_value("out" + std::to_string(i), outputs[i]));
    graph.add_output(node.outputs.back());
  }
  graph.add_node(std::move(node));
  return graph;
}

// The operator's outputs; fails the test when the reference refuses.
inline std::vector<Tensor> run_one(const graph::Operator& op, const std::vector<Tensor>& inputs,
                                   const std::vector<TensorType>& outputs, const JobWindow& window = {}) {
  std::vector<TensorType> types;
  for (const Tensor& input : inputs) types.push_back(input.type);
  auto results = run_reference(one_node(op, types, outputs), inputs, window);
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().text());
  return results ? std::move(*results) : std::vector<Tensor>{};
}

}  // namespace upres::kernels
