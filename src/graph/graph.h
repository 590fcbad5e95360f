// The network and the picture work around it as operators on tensors, with weights.
//
// Every tensor is a picture of some channels: batches are cut outside, and width and height are free
// (extents.h computes them for a given input). Values are in static single assignment form and nodes in
// topological order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"

namespace upres::graph {

using ValueId = uint32_t;  // index into Graph::values()

// A constant that graphs share instead of copying. fp16 weights are widened at import.
using Weights = std::shared_ptr<const std::vector<float>>;

struct Padding {
  int top = 0;
  int left = 0;
  int bottom = 0;
  int right = 0;
  friend bool operator==(const Padding&, const Padding&) = default;
};

// Which channel becomes which sub-pixel (ONNX DepthToSpace): with block r and C output channels the input
// channel of output channel c, sub-pixel (sy, sx) is
enum class ShuffleMode {
  dcr,  // (sy * r + sx) * C + c
  crd,  // c * r * r + sy * r + sx: PyTorch's pixel shuffle
};

struct DepthToSpace {
  int block = 1;
  ShuffleMode mode = ShuffleMode::crd;
  friend bool operator==(const DepthToSpace&, const DepthToSpace&) = default;
};

// out[o][y][x] = bias[o] + sum over i, ky, kx of weights[o][i][ky][kx] * in[i][y + ky - top][x + kx - left],
// samples outside the input being zero; then ReLU if asked for. (ONNX Conv, stride 1, dilation 1, one group.)
struct Conv {
  int in_channels = 0;
  int out_channels = 0;
  int kernel_height = 1;
  int kernel_width = 1;
  Padding padding = {};
  bool apply_relu = false;
  Weights weights;  // [out][in][kernel y][kernel x]
  Weights biases;   // [out]; zeros where the model has none
  // Of the result, at the end; block 1: none. Only plans put one here (fuse_shuffle_into_conv).
  DepthToSpace shuffle = {};
};

// The second convolution of what the first one gives, which has no shuffle. Only plans make pairs, for
// kernels that compute both at once (fuse_conv_pairs).
struct ConvPair {
  Conv first;
  Conv second;
};

// out = in < min ? min : in > max ? max : in; NaN stays NaN. ONNX Relu is Clip{0, +infinity}.
struct Clip {
  float min = 0;
  float max = 0;
};

struct Identity {};

// Only between import and fuse_pixel_shuffle, which turns Reshape-Transpose-Reshape into DepthToSpace; the
// verifier refuses any that is left. Dimensions as in the model, batch first; -1 is "whatever is left", 0 "as
// the input".
struct Reshape {
  std::vector<int64_t> shape;
};
struct Transpose {
  std::vector<int> permutation;
};

// What the network works on.
enum class NetworkColors {
  luma,  // one channel: Y of full-range BT.601 (JPEG); colours go around the network as Cb, Cr
  rgb,   // three channels
};

// pixels (interleaved u8 or u16; channels 1 grey, 2 grey+alpha, 3 RGB, 4 RGB+alpha) -> planes, side.
//   planes: planar f32 0..1, what the network gets: Y, or R G B (a grey picture three times)
//   side:   planar f32, what goes around the network: [Cb, Cr] (luma networks, RGB pictures; -0.5..0.5,
//           exactly 0 where R = G = B) then [alpha]; absent (one output only) when there is nothing
struct Encode {
  NetworkColors colors = NetworkColors::luma;
};

enum class SideFilter {
  bicubic,  // Keys, a = -0.5
  bilinear,
};

// features [, side] -> picture, statistics: pixel shuffle, side planes enlarged by `factor` at true pixel
// centres (edges replicated), back to grey or RGB, alpha beside it.
//   features: planar f32, [block^2 * colours][h][w]; the picture is block * h high
//   picture:  Value's type says what: interleaved u8/u16 (clamped to 0..1, rounded to nearest, half up), or
//             planar f32 (not clamped) when a Resample follows
//   statistics: flat u32[4], see kernels/pixels/statistics.h: how many samples were NaN or infinite,
//             smallest, largest
// factor is the size of the picture over the size of the side planes; block divides it (a network that
// enlarges by itself has block 1 here and its factor).
struct Decode {
  NetworkColors colors = NetworkColors::luma;
  int block = 1;
  ShuffleMode mode = ShuffleMode::crd;
  int factor = 1;
  SideFilter filter = SideFilter::bicubic;
};

enum class Axis { x, y };

// planar f32 -> planar f32: one axis resampled by Lanczos (3 lobes, widened when it reduces, edges
// replicated) from in_total samples to out_total samples of the whole picture. Position and size of the
// window at hand come with each job, so tiles fit. Sample centre of output i in input samples:
// (i + 0.5) * in_total / out_total - 0.5.
struct Resample {
  Axis axis = Axis::x;
  int in_total_px = 0;
  int out_total_px = 0;
};

// planar f32 -> interleaved u8 or u16: clamped to 0..1, rounded to nearest, half up.
struct Store {};

using Operator = std::variant<Conv, ConvPair, Clip, DepthToSpace, Identity, Reshape, Transpose, Encode,
                              Decode, Resample, Store>;

// "conv", "clip", "depth_to_space", ...: the word used in text, errors and tables.
std::string_view operator_name(const Operator& op);

struct Node {
  std::string name;  // unique; the model's where it has one
  Operator op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string origin;  // where it came from, for messages: "Conv, opset 10"; empty for our own
};

struct Value {
  std::string name;  // unique
  TensorType type;
};

// A directed acyclic graph. Built once, then read by many threads; only passes change it.
class Graph {
 public:
  ValueId add_value(std::string name, const TensorType& type);
  // Appends a node; its inputs must have been produced before (the verifier checks).
  void add_node(Node node);
  void add_input(ValueId value) { inputs_.push_back(value); }
  void add_output(ValueId value) { outputs_.push_back(value); }

  [[nodiscard]] const std::vector<Value>& values() const { return values_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<ValueId>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<ValueId>& outputs() const { return outputs_; }
  [[nodiscard]] const Value& value(ValueId id) const { return values_[id]; }

  [[nodiscard]] std::vector<Value>& mutable_values() { return values_; }
  [[nodiscard]] std::vector<Node>& mutable_nodes() { return nodes_; }
  [[nodiscard]] std::vector<ValueId>& mutable_inputs() { return inputs_; }
  [[nodiscard]] std::vector<ValueId>& mutable_outputs() { return outputs_; }

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
};

// The convolutions of an operator, in their order: one, two of a pair, or none.
std::vector<const Conv*> convolutions(const Operator& op);

// Number of weights and biases.
uint64_t parameter_count(const Graph& graph);

// Hash over structure and weights, for cache keys.
uint64_t content_hash(const Graph& graph);

}  // namespace upres::graph
