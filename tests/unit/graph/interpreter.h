// Computes what a graph of network operators says, on arrays of any rank, as literally as the headers define
// it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "graph/graph.h"

namespace upres::graph::testing {

struct Array {
  std::vector<int64_t> dims;
  std::vector<float> data;

  Array() = default;
  explicit Array(std::vector<int64_t> sizes, float value = 0) : dims(std::move(sizes)) {
    data.assign(static_cast<size_t>(count()), value);
  }
  int64_t count() const { return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>()); }
  // Element [0][c][y][x] of a picture.
  float& at(int64_t c, int64_t y, int64_t x) { return data[index(c, y, x)]; }
  float at(int64_t c, int64_t y, int64_t x) const { return data[index(c, y, x)]; }

 private:
  size_t index(int64_t c, int64_t y, int64_t x) const {
    return static_cast<size_t>((c * dims[2] + y) * dims[3] + x);
  }
};

// 0, 1, 2, ... in memory order.
inline Array arange(std::vector<int64_t> dims) {
  Array array(std::move(dims));
  std::iota(array.data.begin(), array.data.end(), 0.0F);
  return array;
}

struct Interpret {
  const Array& in;

  Array operator()(const Conv& conv) const {
    const Padding& pad = conv.padding;
    Array out({1, conv.out_channels, in.dims[2] + pad.top + pad.bottom - conv.kernel_height + 1,
               in.dims[3] + pad.left + pad.right - conv.kernel_width + 1});
    for (int o = 0; o < conv.out_channels; ++o) {
      for (int64_t y = 0; y < out.dims[2]; ++y) {
        for (int64_t x = 0; x < out.dims[3]; ++x) {
          const float sum = taps(conv, o, y, x) + (*conv.biases)[static_cast<size_t>(o)];
          out.at(o, y, x) = conv.apply_relu && sum < 0 ? 0 : sum;
        }
      }
    }
    return out;
  }

  Array operator()(const Clip& clip) const {
    Array out = in;
    for (float& value : out.data) value = value < clip.min ? clip.min : value > clip.max ? clip.max : value;
    return out;
  }

  Array operator()(const DepthToSpace& shuffle) const {
    const int64_t r = shuffle.block;
    const int64_t channels = in.dims[1] / (r * r);
    Array out({1, channels, in.dims[2] * r, in.dims[3] * r});
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t y = 0; y < out.dims[2]; ++y) {
        for (int64_t x = 0; x < out.dims[3]; ++x) {
          const int64_t sub = (y % r) * r + x % r;
          const int64_t from = shuffle.mode == ShuffleMode::dcr ? sub * channels + c : c * r * r + sub;
          out.at(c, y, x) = in.at(from, y / r, x / r);
        }
      }
    }
    return out;
  }

  Array operator()(const Identity&) const { return in; }

  Array operator()(const Reshape& reshape) const {
    Array out = in;
    out.dims = reshape.shape;
    int64_t known = 1;
    for (size_t i = 0; i < out.dims.size(); ++i) {
      if (out.dims[i] == 0) out.dims[i] = in.dims[i];
      if (out.dims[i] > 0) known *= out.dims[i];
    }
    for (int64_t& dim : out.dims) {
      if (dim < 0) dim = in.count() / known;
    }
    EXPECT_EQ(out.count(), in.count());
    return out;
  }

  Array operator()(const Transpose& transpose) const {
    const size_t rank = in.dims.size();
    Array out = in;
    std::vector<int64_t> strides(rank, 1);
    for (size_t i = rank - 1; i-- > 0;) strides[i] = strides[i + 1] * in.dims[i + 1];
    for (size_t i = 0; i < rank; ++i) out.dims[i] = in.dims[static_cast<size_t>(transpose.permutation[i])];
    for (int64_t flat = 0; flat < out.count(); ++flat) {
      int64_t rest = flat;
      int64_t from = 0;
      for (size_t i = rank; i-- > 0;) {
        from += rest % out.dims[i] * strides[static_cast<size_t>(transpose.permutation[i])];
        rest /= out.dims[i];
      }
      out.data[static_cast<size_t>(flat)] = in.data[static_cast<size_t>(from)];
    }
    return out;
  }

  template <typename PictureOperator>
  Array operator()(const PictureOperator&) const {
    ADD_FAILURE() << "not an operator of networks";
    return in;
  }

 private:
  float taps(const Conv& conv, int o, int64_t y, int64_t x) const {
    float sum = 0;
    size_t next = static_cast<size_t>(o * conv.in_channels * conv.kernel_height * conv.kernel_width);
    for (int i = 0; i < conv.in_channels; ++i) {
      for (int ky = 0; ky < conv.kernel_height; ++ky) {
        for (int kx = 0; kx < conv.kernel_width; ++kx, ++next) {
          const int64_t from_y = y + ky - conv.padding.top;
          const int64_t from_x = x + kx - conv.padding.left;
          const bool inside = from_y >= 0 && from_y < in.dims[2] && from_x >= 0 && from_x < in.dims[3];
          if (inside) sum += (*conv.weights)[next] * in.at(i, from_y, from_x);
        }
      }
    }
    return sum;
  }
};

// The first output of a graph with one input.
inline Array interpret(const Graph& graph, const Array& input) {
  std::map<ValueId, Array> values;
  values[graph.inputs().front()] = input;
  for (const Node& node : graph.nodes()) {
    values[node.outputs.front()] = std::visit(Interpret{values.at(node.inputs.front())}, node.op);
  }
  return values.at(graph.outputs().front());
}

}  // namespace upres::graph::testing
