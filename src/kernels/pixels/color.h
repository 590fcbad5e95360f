// Full-range BT.601 as in JPEG (ITU-T T.871, section 7), and samples to and from the range 0..1.
// shaders/common/color.slang holds the same formulas in the same order.
//
// No step here is a multiply whose result is added to something, so compilers cannot contract it: results do
// not depend on them. Luma of a grey pixel is exactly its value, its chroma exactly 0.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/dtype.h"

namespace upres::kernels {

struct Rgb {
  float r = 0;
  float g = 0;
  float b = 0;
};

// Y = 0.299 R + 0.587 G + 0.114 B, in whatever unit R, G, B are.
inline float luma(const Rgb& rgb) {
  return std::fma(0.299F, rgb.r - rgb.g, std::fma(0.114F, rgb.b - rgb.g, rgb.g));
}

// What integer samples are multiplied with to become 0..1.
constexpr float sample_scale(DType type) { return type == DType::u16 ? 1.52590219e-05F : 0.00392156886F; }
// 1/1.772 and 1/1.402 times that: Cb = (B - Y) * cb_scale, with B and Y in integer units; likewise Cr of R.
constexpr float cb_scale(DType type) { return type == DType::u16 ? 8.61118588e-06F : 0.00221307483F; }
constexpr float cr_scale(DType type) { return type == DType::u16 ? 1.0883753e-05F : 0.00279712444F; }

inline Rgb rgb_from_ycbcr(float y, float cb, float cr) {
  const float g = std::fma(-0.344136298F, cb, std::fma(-0.714136302F, cr, y));
  return {std::fma(1.402F, cr, y), g, std::fma(1.772F, cb, y)};
}

// 0..1 to an integer sample: clamped, rounded to nearest, half up; NaN gives 0.
inline uint32_t quantize(float value, DType type) {
  const float clamped = value > 0 ? (value < 1 ? value : 1.0F) : 0.0F;
  return static_cast<uint32_t>(std::floor(std::fma(clamped, sample_range(type), 0.5F)));
}

}  // namespace upres::kernels
