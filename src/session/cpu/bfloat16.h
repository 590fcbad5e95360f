// bfloat16: the upper half of a binary32.
#pragma once

#include <bit>
#include <cstdint>

namespace upres::session::cpu {

// Nearest bfloat16, ties to even; NaN stays NaN.
constexpr uint16_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

constexpr float bfloat16_value(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

constexpr float round_to_bfloat16(float value) { return bfloat16_value(bfloat16_bits(value)); }

}  // namespace upres::session::cpu
