// Rows of f32 samples, whatever they mean: weighted sums, statistics, limits, bfloat16. As in pixels.h:
// vectorised for the processor at hand, the arithmetic of the references, any thread, no memory allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/pixels/statistics.h"

namespace upres::session::cpu {

// Floats that a row in scratch memory must have behind its end, because whole vectors are written there.
inline constexpr size_t kRowSlack_elems = 64;

// out[x] = sum over k of weights[k] * rows[k][x], in the order of k. `out` may be exactly `width` long.
void weighted_sum(std::span<const float* const> rows, std::span<const float> weights, int width, float* out);
// The same for rows that lie row_stride_elems apart.
void weighted_sum(const float* first_row, size_t row_stride_elems, std::span<const float> weights, int width,
                  float* out);
// out[x] = top[x] + fraction * (bottom[x] - top[x]).
void blend(const float* top, const float* bottom, float fraction, int width, float* out);

// out[x] = sum over k < taps of weights[k * padded + x] * in[first[x] + k], padded = width rounded up to
// kRowSlack_elems. `first` and `weights` are filled to the padded width (with zeros).
void resample_row(const float* in, std::span<const int32_t> first, std::span<const float> weights,
                  uint32_t taps, int width, float* out);

// Adds `count` samples to the statistics.
void note_samples(const float* samples, int count, kernels::StatisticsWords& statistics);

// in < min ? min : in > max ? max : in.
void clip_samples(const float* in, size_t count, float min, float max, float* out);

// The largest magnitude among the samples; NaN or infinite if any of them is; 0 of none.
float largest_magnitude(const float* in, size_t count);
float largest_magnitude(const uint16_t* in_bfloat16, size_t count);

// Nearest bfloat16, ties to even.
void to_bfloat16(const float* in, size_t count, uint16_t* out);
// For each sample three bfloat16: the nearest, the nearest of what is left, the nearest again.
void to_bfloat16_split(const float* in, size_t count, uint16_t* out);

}  // namespace upres::session::cpu
