// Which input pixels a window of a resampled result needs, along one axis. All in 64 bits: sizes are below
// 2^31.
#pragma once

#include <algorithm>
#include <cstdint>

namespace upres::plan {

// The input pixel in which the centre of output pixel `index` lies: what the halo is counted from.
constexpr int64_t source_pixel(int64_t index, int64_t input, int64_t output) {
  return (2 * index + 1) * input / (2 * output);
}

// Input pixels that any `out_window` neighbouring output pixels need, at most the picture: source pixels of
// the first and the last are at most ceil((out_window - 1) * input / output) apart.
constexpr int64_t input_of_resampled_window(int64_t out_window, int64_t input, int64_t output, int64_t halo) {
  const int64_t apart = ((out_window - 1) * input + output - 1) / output;
  return std::min(input, apart + 1 + halo);
}

// The most neighbouring output pixels that an input window of in_window pixels (more than the halo, or the
// whole picture) always suffices for.
constexpr int64_t resampled_window(int64_t in_window, int64_t input, int64_t output, int64_t halo) {
  if (in_window >= input) return output;
  return std::min(output, (in_window - 1 - halo) * output / input + 1);
}

}  // namespace upres::plan
