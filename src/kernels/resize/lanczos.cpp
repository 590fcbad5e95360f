#include "kernels/resize/lanczos.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace upres::kernels {

namespace {

constexpr int kLobes = 3;

double lanczos(double x) {
  const double distance = std::abs(x);
  if (distance >= kLobes) return 0;
  if (distance < 1e-9) return 1;
  const double angle = std::numbers::pi * distance;
  return kLobes * std::sin(angle) * std::sin(angle / kLobes) / (angle * angle);
}

// Taps before they are limited to the picture: an open interval of length 2 * lobes * stretch holds at most
// that many integers.
int64_t full_taps(const graph::Resample& op) {
  const int64_t in = op.in_total_px;
  const int64_t out = op.out_total_px;
  return in <= out ? 2 * kLobes : (2 * kLobes * in + out - 1) / out;
}

// Weights of one output sample over all its full taps, normalised, and the first of them in the whole
// picture.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

Taps whole_taps(const graph::Resample& op, int64_t out_sample) {
  const int64_t in = op.in_total_px;
  const int64_t out = op.out_total_px;
  const double stretch = std::max(1.0, static_cast<double>(in) / static_cast<double>(out));
  const double centre = static_cast<double>((2 * out_sample + 1) * in - out) / static_cast<double>(2 * out);
  Taps taps;
  taps.first = static_cast<int64_t>(std::floor(centre - kLobes * stretch)) + 1;
  taps.weights.resize(static_cast<size_t>(full_taps(op)));
  double sum = 0;
  for (size_t k = 0; k < taps.weights.size(); ++k) {
    taps.weights[k] = lanczos((static_cast<double>(taps.first + static_cast<int64_t>(k)) - centre) / stretch);
    sum += taps.weights[k];
  }
  for (double& weight : taps.weights) weight /= sum;
  return taps;
}

int decode_factor(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    if (const auto* decode = std::get_if<graph::Decode>(&node.op)) return decode->factor;
  }
  return 1;
}

}  // namespace

uint32_t resample_taps(const graph::Resample& op) {
  return static_cast<uint32_t>(std::min<int64_t>(full_taps(op), op.in_total_px));
}

ResampleTable make_resample_table(const graph::Resample& op, int out_begin, int out_count, int in_begin,
                                  int in_count) {
  ResampleTable table;
  table.taps = resample_taps(op);
  table.first_samples.reserve(static_cast<size_t>(out_count));
  table.weights.resize(static_cast<size_t>(out_count) * table.taps);
  std::vector<double> folded(table.taps);
  for (int i = 0; i < out_count; ++i) {
    const Taps taps = whole_taps(op, int64_t{out_begin} + i);
    const int64_t last_first = std::max<int64_t>(0, int64_t{in_count} - table.taps);
    const int64_t first = std::clamp<int64_t>(taps.first - in_begin, 0, last_first);
    std::ranges::fill(folded, 0.0);
    for (size_t k = 0; k < taps.weights.size(); ++k) {
      const int64_t sample =
          std::clamp<int64_t>(taps.first - in_begin + static_cast<int64_t>(k), 0, in_count - 1);
      folded[static_cast<size_t>(sample - first)] += taps.weights[k];
    }
    table.first_samples.push_back(static_cast<int32_t>(first));
    std::ranges::transform(
        folded, table.weights.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(i) * table.taps),
        [](double weight) { return static_cast<float>(weight); });
  }
  return table;
}

ResampleTable make_resample_table(const graph::Graph& graph, const graph::Node& node,
                                  std::span<const Extent> extents, const JobWindow& window) {
  const auto& op = std::get<graph::Resample>(node.op);
  const Extent& in = extents[node.inputs[0]];
  const Extent& out = extents[node.outputs[0]];
  const int factor = decode_factor(graph);
  return op.axis == graph::Axis::x ? make_resample_table(op, window.resampled.x_px, out.width_px,
                                                         window.input.x_px * factor, in.width_px)
                                   : make_resample_table(op, window.resampled.y_px, out.height_px,
                                                         window.input.y_px * factor, in.height_px);
}

}  // namespace upres::kernels
