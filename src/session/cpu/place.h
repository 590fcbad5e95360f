// Where the rows of a value lie while a job runs: in the caller's tensors, or in a buffer that holds only the
// rows that somebody still needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/tensor.h"

namespace upres::session::cpu {

enum class Element {
  u8,
  u16,
  u32,
  f32,
  bf16,
  bf16_split,  // three bf16 for each sample: high part, low part, high part again (see onednn.h)
};

constexpr size_t size_bytes(Element element) {
  switch (element) {
    case Element::u8:
      return 1;
    case Element::u16:
    case Element::bf16:
      return 2;
    case Element::u32:
    case Element::f32:
      return 4;
    case Element::bf16_split:
      return 6;
  }
  return 0;
}

constexpr Element element_of(DType type) {
  switch (type) {
    case DType::u8:
      return Element::u8;
    case DType::u16:
      return Element::u16;
    case DType::u32:
      return Element::u32;
    default:
      return Element::f32;
  }
}

// How samples lie: planes [channel][row][x], or pixels [row][x][channel] ("channels last", interleaved
// pictures too).
enum class Order { planar, channels_last };

// The form of a value that a step reads or writes.
struct Port {
  Element element = Element::f32;
  Order order = Order::planar;
  friend bool operator==(const Port&, const Port&) = default;
};

// Rows first_row, first_row + 1, ... of a value. Row y begins at
// data + (y - first_row) * row_stride_bytes, in plane c plane_stride_bytes * c further.
template <typename Byte>
struct BasicRows {
  Byte* data = nullptr;
  int first_row = 0;
  size_t row_stride_bytes = 0;
  size_t plane_stride_bytes = 0;  // 0 where pixels are whole
  int channels = 1;
  int width_px = 0;
  int height_px = 0;  // of the whole value, not of the rows held

  [[nodiscard]] Byte* row(int y, int plane = 0) const {
    return data + static_cast<size_t>(y - first_row) * row_stride_bytes +
           static_cast<size_t>(plane) * plane_stride_bytes;
  }
};
using Rows = BasicRows<const std::byte>;
using MutableRows = BasicRows<std::byte>;

inline Rows read_only(const MutableRows& rows) {
  return {rows.data,     rows.first_row, rows.row_stride_bytes, rows.plane_stride_bytes,
          rows.channels, rows.width_px,  rows.height_px};
}

}  // namespace upres::session::cpu
