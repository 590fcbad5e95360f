// Small graphs for tests, in few words: each call appends a node and returns its output.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace upres::graph::testing {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline TensorType planes(int channels) { return {DType::f32, Layout::planar, channels}; }

inline Weights weights(size_t count, float value = 1) {
  return std::make_shared<const std::vector<float>>(count, value);
}

// "conv3"
inline std::string numbered(std::string name, int number) { return name.append(std::to_string(number)); }

inline Conv conv_op(int in_channels, int out_channels, int width, int height, const Padding& padding) {
  const auto count = static_cast<size_t>(in_channels * out_channels * width * height);
  return {in_channels, out_channels, height,         width,
          padding,     false,        weights(count), weights(static_cast<size_t>(out_channels), 0)};
}

class GraphBuilder {
 public:
  ValueId input(int channels, std::string name = "input") { return input(planes(channels), std::move(name)); }
  ValueId input(const TensorType& type, std::string name) {
    const ValueId id = graph_.add_value(std::move(name), type);
    graph_.add_input(id);
    return id;
  }

  // A convolution that keeps the size ("same" padding); the channels come from the input.
  ValueId conv(ValueId in, int out_channels, int size, std::string name) {
    const int pad = (size - 1) / 2;
    return conv(in, out_channels, size, size, {pad, pad, size - 1 - pad, size - 1 - pad}, std::move(name));
  }
  ValueId conv(ValueId in, int out_channels, int width, int height, const Padding& padding,
               std::string name) {
    const int in_channels = graph_.value(in).type.channels;
    return node(conv_op(in_channels, out_channels, width, height, padding), in, planes(out_channels),
                std::move(name));
  }
  ValueId clip(ValueId in, float min, float max, std::string name) {
    return node(Clip{min, max}, in, graph_.value(in).type, std::move(name));
  }
  ValueId relu(ValueId in, std::string name) { return clip(in, 0, kInfinity, std::move(name)); }
  ValueId identity(ValueId in, std::string name) {
    return node(Identity{}, in, graph_.value(in).type, std::move(name));
  }
  ValueId shuffle(ValueId in, int block, std::string name, ShuffleMode mode = ShuffleMode::crd) {
    const int channels = graph_.value(in).type.channels / (block * block);
    return node(DepthToSpace{block, mode}, in, planes(channels), std::move(name));
  }
  ValueId reshape(ValueId in, std::vector<int64_t> shape, int channels, std::string name) {
    return node(Reshape{std::move(shape)}, in, planes(channels), std::move(name));
  }
  ValueId transpose(ValueId in, std::vector<int> permutation, std::string name) {
    return node(Transpose{std::move(permutation)}, in, graph_.value(in).type, std::move(name));
  }

  // A node with one input and one output, which is called like the node.
  ValueId node(Operator op, ValueId in, const TensorType& out, std::string name) {
    const ValueId id = graph_.add_value(name, out);
    graph_.add_node({std::move(name), std::move(op), {in}, {id}, ""});
    return id;
  }
  ValueId value(std::string name, const TensorType& type) { return graph_.add_value(std::move(name), type); }
  void add(Node node) { graph_.add_node(std::move(node)); }

  Graph output(ValueId id) {
    graph_.add_output(id);
    return graph_;
  }
  Graph& graph() { return graph_; }

 private:
  Graph graph_;
};

// Convolutions, ReLU between them, a pixel shuffle: 1 -> 64 -> 32 -> factor^2 -> 1, as ESPCN.
inline Graph espcn(int colors, int factor) {
  GraphBuilder b;
  const ValueId hidden = b.relu(b.conv(b.input(colors), 8, 5, "conv1"), "relu1");
  return b.output(b.shuffle(b.conv(hidden, colors * factor * factor, 3, "conv2"), factor, "output"));
}

// Expects that a Result or Status failed with this text in its message.
template <typename R>
void expect_failure(const R& result, const std::string& text) {
  ASSERT_FALSE(result.has_value()) << "expected an error with: " << text;
  EXPECT_EQ(result.error().code, ErrorCode::model);
  EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
}

}  // namespace upres::graph::testing
