// Inner loops of convolutions with few output channels: vectors lie along the row, each lane a pixel, so that
// no lane is wasted on channels that are not there. Works on planes of 32-bit words: a word is one f32
// channel of a pixel, or two bf16 ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Before a loop of constant length: sums must be in registers, not in an array in memory.
#if defined(__clang__)
#define UPRES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define UPRES_UNROLL _Pragma("GCC unroll 32")
#endif

namespace upres::session::cpu {

// Words that must be readable behind a plane's last pixel, as whole blocks are computed; and writable behind
// an output row's.
inline constexpr size_t kNarrowSlack_words = 512;

// pixels [width][words] -> planes [words][plane_stride_words]; words must be a multiple of 4.
void transpose_words(const uint32_t* pixels, int width, int words, size_t plane_stride_words,
                     uint32_t* planes);

// One output row of one or more output channels.
struct NarrowRow {
  // For each kernel row the input planes, from the pixel under the kernel's left column when the output pixel
  // is 0; null where the row lies outside, which reads as zeros. Planes are plane_stride_words apart.
  std::span<const uint32_t* const> planes;
  size_t plane_stride_words = 0;
  int words = 0;  // planes of each row
  int kernel_width = 1;
  int width_px = 0;  // of the output
  // [kernel y][word][kernel x][output]: f32, or pairs of bf16 as the input's.
  const uint32_t* weights = nullptr;
  const float* biases = nullptr;  // [output]
  int outputs = 0;                // 1..kNarrowOutputs
  bool apply_relu = false;
};

// Output channels that can be computed at once.
inline constexpr int kNarrowOutputs = 12;

// out[output][out_stride_elems], with slack behind each row.
void narrow_row(const NarrowRow& row, size_t out_stride_elems, float* out);
// The same with bf16 pairs; only where cpu_info().bf16.
void narrow_row_bf16(const NarrowRow& row, size_t out_stride_elems, float* out);

}  // namespace upres::session::cpu
