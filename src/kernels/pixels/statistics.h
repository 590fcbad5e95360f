// What Decode notes about the picture before it clamps, for the guards: non-finite samples and the range.
//
// Device form, flat u32[4], zero where nothing was seen, so that a kernel only needs atomic add and max:
//   [0] number of NaN, [1] number of infinities, [2] largest ordered_bits(sample), [3] largest
//   ~ordered_bits(sample)
// of the finite colour samples (alpha not counted).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace upres::kernels {

using StatisticsWords = std::array<uint32_t, 4>;

// An unsigned integer that orders as the float does (IEEE 754 totalOrder for finite numbers).
constexpr uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
constexpr float from_ordered_bits(uint32_t ordered) {
  return std::bit_cast<float>((ordered & 0x80000000U) != 0 ? ordered & 0x7fffffffU : ~ordered);
}

struct Statistics {
  uint64_t nan = 0;
  uint64_t infinite = 0;
  bool any_finite = false;
  float smallest = 0;  // of the finite samples; 0 when there was none
  float largest = 0;

  [[nodiscard]] bool finite() const { return nan == 0 && infinite == 0; }
};

// Of one job; merge() joins those of several tiles.
Statistics read_statistics(const StatisticsWords& words);
void merge(Statistics& total, const Statistics& part);

}  // namespace upres::kernels
