#include "session/cpu/conv_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "session/cpu/bfloat16.h"

namespace upres::session::cpu {

std::vector<float> split_weights(const graph::Conv& conv) {
  const auto taps = static_cast<size_t>(conv.kernel_height) * static_cast<size_t>(conv.kernel_width);
  const std::vector<float>& weights = *conv.weights;
  std::vector<float> split(weights.size() * 3);
  for (size_t plane = 0; plane < weights.size() / taps; ++plane) {
    for (size_t tap = 0; tap < taps; ++tap) {
      const float weight = weights[plane * taps + tap];
      const float high = round_to_bfloat16(weight);
      split[(plane * 3 + 0) * taps + tap] = high;
      split[(plane * 3 + 1) * taps + tap] = high;
      split[(plane * 3 + 2) * taps + tap] = round_to_bfloat16(weight - high);
    }
  }
  return split;
}

float safe_magnitude(const graph::Conv& conv) {
  // Parts of weights and roundings to bf16 add up to a little more than the weights do.
  constexpr double kLargestSum = double{std::numeric_limits<float>::max()} / 8;
  const size_t terms = conv.weights->size() / conv.biases->size();
  double largest = 1;
  for (size_t out = 0; out < conv.biases->size(); ++out) {
    double sum = 0;
    for (const float weight : std::span(*conv.weights).subspan(out * terms, terms))
      sum += std::abs(double{weight});
    const double bias = std::abs(double{(*conv.biases)[out]});
    if (!(sum <= kLargestSum && bias <= kLargestSum)) return -1;
    largest = std::max(largest, sum);
  }
  return static_cast<float>(kLargestSum / largest);
}

}  // namespace upres::session::cpu
