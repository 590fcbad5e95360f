#include "base/half.h"

#include <bit>

namespace upres {
namespace {

constexpr uint32_t kFloatInfinity = 0x7f800000U;
constexpr uint32_t kHalfOverflow = 0x477ff000U;   // 65520: rounds to infinity
constexpr uint32_t kHalfMinNormal = 0x38800000U;  // 2^-14

// Subnormal halves are multiples of 2^-24: adding 0.5 lets the FPU round to that multiple, to nearest even.
uint32_t round_to_subnormal(uint32_t magnitude) {
  const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
  return std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5F);
}

uint32_t round_to_normal(uint32_t magnitude) {
  const uint32_t odd = (magnitude >> 13) & 1U;
  const uint32_t rebias = (127U - 15U) << 23;
  return (magnitude - rebias + 0xfffU + odd) >> 13;
}

}  // namespace

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | kFloatInfinity | ((magnitude & 0x3ffU) << 13));
  if (magnitude >= 0x0400U) return std::bit_cast<float>(sign | ((magnitude << 13) + ((127U - 15U) << 23)));
  const float value = static_cast<float>(magnitude) * 0x1p-24F;
  return sign != 0 ? -value : value;
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7fffffffU;
  uint32_t half = 0;
  if (magnitude > kFloatInfinity) {
    half = 0x7e00U | ((magnitude >> 13) & 0x3ffU);
  } else if (magnitude >= kHalfOverflow) {
    half = 0x7c00U;
  } else if (magnitude >= kHalfMinNormal) {
    half = round_to_normal(magnitude);
  } else {
    half = round_to_subnormal(magnitude);
  }
  return static_cast<uint16_t>(sign | half);
}

}  // namespace upres
