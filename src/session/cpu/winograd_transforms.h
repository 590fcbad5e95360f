// The transforms of Winograd's minimal filtering F(2x2, 3x3): an output tile of 2x2 pixels from an input tile
// of 4x4 with 16 multiplications per pair of channels instead of 36 (Lavin and Gray 2015, "Fast algorithms
// for convolutional neural networks", section 4.1). With input tile d, kernel g and
//        [1  0 -1  0]       [ 1    0    0 ]
//   B' = [0  1  1  0]   G = [1/2  1/2  1/2]   A' = [1  1  1  0]
//        [0 -1  1  0]       [1/2 -1/2  1/2]        [0  1 -1 -1]
//        [0  1  0 -1]       [ 0    0    1 ]
// the output tile is A' [(G g G') * (B' d B)] A, the products summed over the input channels.
//
// This size because an output pixel then depends, to the bit, on exactly the input pixels under its kernel:
// what else lies in the tile (beyond the edge of a window) has no influence. Larger tiles save more, but not
// that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace upres::session::cpu {

inline constexpr int kWinogradTile = 2;   // output pixels
inline constexpr int kWinogradPatch = 4;  // input pixels
inline constexpr int kWinogradProducts = 16;
inline constexpr int kWinogradAhead = 12;  // columns that are asked for before they are read
// Channel counts must be multiples of this; with bf16 of twice that.
inline constexpr int kWinogradChannels = 16;

// A run of tiles beside each other.
struct TileRun {
  // Input rows of the tiles, [width][channels] f32; null where the row lies outside, which reads as zeros.
  std::array<const float*, kWinogradPatch> rows = {};
  int width_px = 0;      // of the input
  int channels = 0;      // of the input
  int first_column = 0;  // input column of the first tile's left edge; may be negative
  int count = 0;         // tiles
};

// B' d B of each tile to out[product][tile][channel], products out_stride_elems apart.
void transform_input(const TileRun& run, size_t out_stride_elems, float* out);
// The same rounded to bfloat16; only where cpu_info().bf16.
void transform_input_bf16(const TileRun& run, size_t out_stride_elems, uint16_t* out);

// Where the tiles of a run go.
struct TileTarget {
  // Output rows of the tiles, [width][channels]; null where a row is not wanted.
  std::array<std::byte*, kWinogradTile> rows = {};
  int width_px = 0;  // columns outside 0..width_px - 1 are not written
  int channels = 0;
  int first_column = 0;  // output column of the first tile's left pixel; may be -1
  int count = 0;
  const float* biases = nullptr;
  bool apply_relu = false;
};

// A' m A + bias, then ReLU, of in[product][tile][channel], products in_stride_elems apart; written as f32.
void transform_output(const TileTarget& target, size_t in_stride_elems, const float* in);
// The same rounded to bfloat16; only where cpu_info().bf16.
void transform_output_bf16(const TileTarget& target, size_t in_stride_elems, const float* in);

}  // namespace upres::session::cpu
