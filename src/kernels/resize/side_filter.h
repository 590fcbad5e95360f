// Enlarging by a whole factor at true pixel centres: where an output sample lies between input samples and
// the weights of its taps. All from integers, so that a sample gets the same bits in whatever window it lies.
// shaders/common/side_filter.slang holds the same formulas in the same order.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace upres::kernels {

// Centre of output sample i in input samples: (i + 0.5) / factor - 0.5 = base + fraction, 0 <= fraction < 1.
struct SidePosition {
  int32_t base = 0;
  float fraction = 0;
};

inline SidePosition side_position(int32_t out, int32_t factor) {
  const int32_t phase = 2 * (out % factor) + 1 - factor;  // in 1 / (2 * factor)
  const int32_t before = phase < 0 ? 1 : 0;
  const auto numerator = static_cast<float>(phase + 2 * factor * before);
  return {out / factor - before, numerator / static_cast<float>(2 * factor)};
}

// Weights of the samples base - 1 .. base + 2: Keys' cubic convolution with a = -0.5 (IEEE Trans. ASSP 29,
// 1981, eq. 15).
inline std::array<float, 4> bicubic_weights(float t) {
  return {t * std::fma(t, std::fma(t, -0.5F, 1.0F), -0.5F), std::fma(t * t, std::fma(t, 1.5F, -2.5F), 1.0F),
          t * std::fma(t, std::fma(t, -1.5F, 2.0F), 0.5F), t * t * std::fma(t, 0.5F, -0.5F)};
}

}  // namespace upres::kernels
