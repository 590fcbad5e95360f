// What the tests of the CPU session share: small graphs, random tensors, comparison with the references.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/extents.h"
#include "graph/graph.h"
#include "graph/picture.h"
#include "graph/verify.h"
#include "kernels/reference.h"
#include "session/cpu/cpu_session.h"

namespace upres::session::test {

struct ConvShape {
  int in = 1;
  int out = 1;
  int kernel_height = 3;
  int kernel_width = 3;
  graph::Padding padding = {1, 1, 1, 1};
  bool relu = true;
};

inline ConvShape same_conv(int in, int out, int kernel, bool relu = true) {
  const int p = kernel / 2;
  return {in, out, kernel, kernel, {p, p, p, p}, relu};
}

// Weights that keep the size of the signal (He et al. 2015).
inline graph::Conv random_conv(const ConvShape& shape, std::mt19937& random) {
  const auto taps = static_cast<size_t>(shape.in * shape.kernel_height * shape.kernel_width);
  std::normal_distribution<float> weight(0.0F, std::sqrt(2.0F / static_cast<float>(taps)));
  std::normal_distribution<float> bias(0.0F, 0.05F);
  auto weights = std::make_shared<std::vector<float>>(taps * static_cast<size_t>(shape.out));
  auto biases = std::make_shared<std::vector<float>>(static_cast<size_t>(shape.out));
  std::ranges::generate(*weights, [&] { return weight(random); });
  std::ranges::generate(*biases, [&] { return bias(random); });
  return {.in_channels = shape.in,
          .out_channels = shape.out,
          .kernel_height = shape.kernel_height,
          .kernel_width = shape.kernel_width,
          .padding = shape.padding,
          .apply_relu = shape.relu,
          .weights = weights,
          .biases = biases};
}

inline TensorType planes(int channels) { return {DType::f32, Layout::planar, channels}; }

// Appends operators one after the other.
class Chain {
 public:
  explicit Chain(const TensorType& input) : last_(graph_.add_value("in", input)) { graph_.add_input(last_); }

  Chain& then(graph::Operator op, const TensorType& output) {
    const std::string number = std::to_string(++count_);
    const graph::ValueId next = graph_.add_value("value " + number, output);
    graph_.add_node({"node " + number, std::move(op), {last_}, {next}, ""});
    last_ = next;
    return *this;
  }
  Chain& conv(const ConvShape& shape, std::mt19937& random) {
    return then(random_conv(shape, random), planes(shape.out));
  }
  graph::Graph done() {
    graph_.add_output(last_);
    return graph_;
  }

 private:
  graph::Graph graph_;
  graph::ValueId last_;
  int count_ = 0;
};

// 1 -> 64 (5x5) -> 64 (3x3) -> 32 (3x3) -> factor^2 (3x3) -> pixel shuffle.
inline graph::Graph seed_network(int factor, unsigned seed = 1, int channels = 1) {
  std::mt19937 random(seed);
  Chain chain(planes(channels));
  chain.conv(same_conv(channels, 64, 5), random)
      .conv(same_conv(64, 64, 3), random)
      .conv(same_conv(64, 32, 3), random);
  chain.conv(same_conv(32, channels * factor * factor, 3, false), random);
  chain.then(graph::DepthToSpace{factor, graph::ShuffleMode::crd}, planes(channels));
  return chain.done();
}

// A network of the same kind, small enough for the plain reference.
inline graph::Graph small_network(int factor, unsigned seed = 1, int channels = 1) {
  std::mt19937 random(seed);
  Chain chain(planes(channels));
  chain.conv(same_conv(channels, 32, 5), random)
      .conv(same_conv(32, 32, 3), random)
      .conv(same_conv(32, 24, 3), random);
  chain.conv(same_conv(24, channels * factor * factor, 3, false), random);
  chain.then(graph::DepthToSpace{factor, graph::ShuffleMode::crd}, planes(channels));
  return chain.done();
}

inline Tensor random_tensor(const TensorType& type, const Extent& extent, unsigned seed) {
  Tensor tensor(type, extent);
  std::mt19937 random(seed);
  if (type.dtype == DType::f32) {
    std::uniform_real_distribution<float> value(0.0F, 1.0F);
    std::ranges::generate(tensor.as<float>(), [&] { return value(random); });
  } else {
    std::uniform_int_distribution<int> value(0, 255);
    std::ranges::generate(tensor.bytes, [&] { return static_cast<std::byte>(value(random)); });
  }
  return tensor;
}

// Runs one job on packed tensors; fails the test on an error.
inline std::vector<Tensor> run(Session& session, const std::vector<Tensor>& inputs,
                               const kernels::JobWindow& window = {}) {
  const graph::Graph& graph = session.graph();
  Job job;
  std::vector<Extent> input_extents;
  for (const Tensor& input : inputs) {
    job.inputs.push_back(input.view());
    input_extents.push_back(input.extent);
  }
  auto extents = graph::infer_extents(graph, input_extents, window.resampled_extent);
  if (!extents) {
    ADD_FAILURE() << extents.error().text();
    return {};
  }
  std::vector<Tensor> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.emplace_back(graph.value(id).type, (*extents)[id]);
  for (Tensor& output : outputs) job.outputs.push_back(output.view());
  job.window = window;
  auto report = session.run(job);
  if (!report) ADD_FAILURE() << report.error().text();
  return outputs;
}

inline std::unique_ptr<CpuSession> make_session(const graph::Graph& graph, const CpuOptions& options = {}) {
  auto session = CpuSession::create(graph, options, Log());
  if (!session) {
    ADD_FAILURE() << session.error().text();
    return nullptr;
  }
  return std::move(*session);
}

template <typename T>
double largest_difference_of(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (size_t i = 0; i < a.as<T>().size(); ++i) {
    const double difference = std::abs(static_cast<double>(a.as<T>()[i]) - static_cast<double>(b.as<T>()[i]));
    if (!(difference <= largest)) largest = difference;  // NaN counts
  }
  return largest;
}

// Largest difference of two tensors in their own unit; infinite when they are not comparable.
inline double largest_difference(const Tensor& a, const Tensor& b) {
  if (a.type != b.type || a.extent != b.extent) return std::numeric_limits<double>::infinity();
  switch (a.type.dtype) {
    case DType::u8:
      return largest_difference_of<uint8_t>(a, b);
    case DType::u16:
      return largest_difference_of<uint16_t>(a, b);
    case DType::u32:
      return largest_difference_of<uint32_t>(a, b);
    default:
      return largest_difference_of<float>(a, b);
  }
}

inline double psnr_db(const Tensor& a, const Tensor& b) {
  double sum = 0;
  const auto count = static_cast<double>(a.as<float>().size());
  for (size_t i = 0; i < a.as<float>().size(); ++i) {
    const double difference = static_cast<double>(a.as<float>()[i]) - static_cast<double>(b.as<float>()[i]);
    sum += difference * difference;
  }
  return -10 * std::log10(sum / count);
}

}  // namespace upres::session::test
