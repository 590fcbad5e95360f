// Rows of pixels, vectorised for whatever instruction set the processor has (chosen at run time). The
// arithmetic is that of the references in kernels/, operation by operation, so results are theirs to the bit
// where the processor has fused multiply-add. Slack is kRowSlack_elems of samples.h. All functions: any
// thread, no memory allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dtype.h"

namespace upres::session::cpu {

// pixels [width][channels] of u8 or u16 -> rows of floats, width each, with slack where they are scratch;
// null pointers are skipped. colors[0] is Y (and colors[1], colors[2] null), or colors are R, G, B.
struct EncodedRow {
  std::array<float*, 3> colors = {};
  float* cb = nullptr;
  float* cr = nullptr;
  float* alpha = nullptr;
};
void encode_row(const std::byte* pixels, DType dtype, int channels, bool rgb_network, int width,
                const EncodedRow& out);

// out[x * block + s] = features[x * stride + s * step], 0 <= s < block: one row of one channel of a pixel
// shuffle.
void shuffle_row(const float* features, int stride, int step, int width, int block, float* out);

// out[x * factor + s] = sum over i < 4 of weights[s * 4 + i] * in[x + offsets[s] - 1 + i]; offsets are -1 or
// 0. `in` can be read from -2 to width + 2 + slack, `out` written to width * factor + slack.
void enlarge_row(const float* in, int width, int factor, std::span<const float> weights,
                 std::span<const int> offsets, float* out);
// The same, linear: in[at] + fraction * (in[at + 1] - in[at]) with at = x + offsets[s].
void enlarge_row_linear(const float* in, int width, int factor, std::span<const float> fractions,
                        std::span<const int> offsets, float* out);

// Y, Cb, Cr -> R, G, B in place; rows with slack.
void ycbcr_to_rgb(float* y_r, float* cb_g, float* cr_b, int width);
// R, G, B -> luma, written over R; rows with slack.
void rgb_to_luma(float* r_y, const float* g, const float* b, int width);

// planes[channels] of floats (with slack, readable) -> pixels [width][channels] of u8 or u16, clamped and
// rounded, NaN 0.
void store_row(std::span<const float* const> planes, DType dtype, int width, std::byte* pixels);

// Name of the instruction set in use: "AVX3".
const char* pixel_isa();

}  // namespace upres::session::cpu
