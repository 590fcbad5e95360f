// Small networks with random weights, and random pictures for them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "graph/graph.h"
#include "graph/picture.h"

namespace upres::testing {

// Repeatable everywhere: the standard's distributions differ between libraries, the engine does not.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<uint32_t>(high - low + 1));
  }
  float real(float low, float high) {
    return low + (high - low) * (static_cast<float>(engine_() % 65536) / 65535.0F);
  }
  bool coin() { return engine_() % 2 == 0; }

 private:
  std::mt19937 engine_;
};

inline graph::Weights random_weights(Random& random, int count, float scale) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.real(-scale, scale);
  return std::make_shared<const std::vector<float>>(std::move(values));
}

struct Layer {
  int out_channels = 1;
  int kernel_width = 3;
  int kernel_height = 3;
  graph::Padding padding = {};  // sums to kernel - 1 where the size is to be kept
  bool relu = true;
};

// A convolution that keeps the size; uneven padding at random.
inline Layer random_layer(Random& random, int out_channels) {
  Layer layer;
  layer.out_channels = out_channels;
  layer.kernel_width = random.between(1, 5);
  layer.kernel_height = random.between(1, 5);
  layer.padding.left = random.between(0, layer.kernel_width - 1);
  layer.padding.right = layer.kernel_width - 1 - layer.padding.left;
  layer.padding.top = random.between(0, layer.kernel_height - 1);
  layer.padding.bottom = layer.kernel_height - 1 - layer.padding.top;
  layer.relu = random.coin();
  return layer;
}

// The convolutions one behind the other, then a pixel shuffle by `factor`: layers.back() has colors *
// factor^2 channels.
inline graph::Graph make_network(Random& random, int colors, int factor, const std::vector<Layer>& layers) {
  using graph::ValueId;
  graph::Graph network;
  const auto planes = [](int channels) { return TensorType{DType::f32, Layout::planar, channels}; };
  ValueId last = network.add_value("input", planes(colors));
  network.add_input(last);
  int channels = colors;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const int taps = channels * layer.kernel_width * layer.kernel_height;
    graph::Conv conv{channels,
                     layer.out_channels,
                     layer.kernel_height,
                     layer.kernel_width,
                     layer.padding,
                     layer.relu,
                     random_weights(random, layer.out_channels * taps, 2.0F / static_cast<float>(taps)),
                     random_weights(random, layer.out_channels, 0.25F)};
    std::string name = "conv_";
    name += std::to_string(i + 1);
    const ValueId out = network.add_value(name, planes(layer.out_channels));
    network.add_node({name, std::move(conv), {last}, {out}, ""});
    last = out;
    channels = layer.out_channels;
  }
  const ValueId out = network.add_value("output", planes(colors));
  network.add_node({"shuffle", graph::DepthToSpace{factor, graph::ShuffleMode::crd}, {last}, {out}, ""});
  network.add_output(out);
  return network;
}

// One to three convolutions of a few channels.
inline graph::Graph random_network(Random& random, int colors, int factor) {
  std::vector<Layer> layers;
  for (int i = random.between(0, 2); i > 0; --i) layers.push_back(random_layer(random, random.between(1, 4)));
  layers.push_back(random_layer(random, colors * factor * factor));
  layers.back().relu = false;
  return make_network(random, colors, factor, layers);
}

// ESPCN with `width` and width / 2 channels.
inline graph::Graph espcn(uint32_t seed, int colors, int factor, int width) {
  Random random(seed);
  const auto layer = [](int channels, int size, bool relu) {
    const int pad = size / 2;
    return Layer{channels, size, size, {pad, pad, pad, pad}, relu};
  };
  return make_network(random, colors, factor,
                      {layer(width, 5, true), layer(width, 3, true), layer(width / 2, 3, true),
                       layer(colors * factor * factor, 3, false)});
}

// From pixels to pixels; fails the test when that cannot be.
inline graph::Graph with_ends(const graph::Graph& network, const graph::PictureOptions& options = {}) {
  auto graph = graph::attach_picture_ends(network, options);
  EXPECT_TRUE(graph) << graph.error().text();
  return graph ? std::move(*graph) : graph::Graph();
}

// Random samples of any type (floats in 0..1).
inline Tensor random_tensor(Random& random, const TensorType& type, const Extent& extent) {
  Tensor tensor(type, extent);
  if (type.dtype == DType::f32) {
    for (float& value : tensor.as<float>()) value = random.real(0, 1);
  } else {
    for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(random.between(0, 255));
  }
  return tensor;
}

// The rectangle of interleaved pixels at `origin`.
inline Tensor crop(const Tensor& picture, const Origin& origin, const Extent& extent) {
  Tensor part(picture.type, extent);
  const size_t pixel = row_bytes(picture.type, {1, 1});
  for (int y = 0; y < extent.height_px; ++y) {
    const size_t from = (static_cast<size_t>(origin.y_px + y) * static_cast<size_t>(picture.extent.width_px) +
                         static_cast<size_t>(origin.x_px)) *
                        pixel;
    const size_t row = static_cast<size_t>(extent.width_px) * pixel;
    std::copy_n(picture.bytes.begin() + static_cast<std::ptrdiff_t>(from), row,
                part.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(y) * row));
  }
  return part;
}

// Writes the rectangle of `part` that begins at `from` into the picture at `to`.
inline void paste(const Tensor& part, const Origin& from, const Extent& extent, const Origin& to,
                  Tensor& picture) {
  const Tensor kept = crop(part, from, extent);
  const size_t pixel = row_bytes(picture.type, {1, 1});
  for (int y = 0; y < extent.height_px; ++y) {
    const size_t row = static_cast<size_t>(extent.width_px) * pixel;
    const size_t at = (static_cast<size_t>(to.y_px + y) * static_cast<size_t>(picture.extent.width_px) +
                       static_cast<size_t>(to.x_px)) *
                      pixel;
    std::copy_n(kept.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(y) * row), row,
                picture.bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace upres::testing
