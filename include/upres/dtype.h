// Element types of tensors and pictures.
#pragma once

#include <cstddef>
#include <string_view>

namespace upres {

enum class DType { u8, u16, u32, f16, f32 };

constexpr size_t size_bytes(DType type) {
  switch (type) {
    case DType::u8:
      return 1;
    case DType::u16:
    case DType::f16:
      return 2;
    case DType::u32:
    case DType::f32:
      return 4;
  }
  return 0;
}

constexpr std::string_view name(DType type) {
  switch (type) {
    case DType::u8:
      return "u8";
    case DType::u16:
      return "u16";
    case DType::u32:
      return "u32";
    case DType::f16:
      return "f16";
    case DType::f32:
      return "f32";
  }
  return "?";
}

// Largest value of an integer picture sample, which stands for 1.0; 1 for float types.
constexpr float sample_range(DType type) {
  return type == DType::u8 ? 255.0F : type == DType::u16 ? 65535.0F : 1.0F;
}

}  // namespace upres
