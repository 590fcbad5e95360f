// Tensors in host memory: what goes into a session and comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "base/image.h"

namespace upres {

// Position of a window in the whole picture, in pixels from its top left corner.
struct Origin {
  int x_px = 0;
  int y_px = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};

enum class Layout {
  planar,       // [channel][y][x]: what networks compute on
  interleaved,  // [y][x][channel]: pixels as they come from files
  flat,         // [channel]: a few numbers beside the picture, such as statistics; extent 1x1
};

struct TensorType {
  DType dtype = DType::f32;
  Layout layout = Layout::planar;
  int channels = 1;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// A tensor that somebody else owns. Rows (of a plane, or of interleaved pixels) are row_stride_bytes apart,
// planes height_px * row_stride_bytes.
template <typename Byte>
struct BasicTensorView {
  TensorType type;
  Extent extent;
  size_t row_stride_bytes = 0;
  std::span<Byte> bytes;
};
using TensorView = BasicTensorView<const std::byte>;
using MutableTensorView = BasicTensorView<std::byte>;

// Bytes of one row without padding: a row of a plane, or of interleaved pixels.
constexpr size_t row_bytes(const TensorType& type, const Extent& extent) {
  const auto samples = type.layout == Layout::planar
                           ? static_cast<size_t>(extent.width_px)
                           : static_cast<size_t>(extent.width_px) * static_cast<size_t>(type.channels);
  return samples * size_bytes(type.dtype);
}

// Bytes of the tensor when its rows are tightly packed.
constexpr size_t packed_bytes(const TensorType& type, const Extent& extent) {
  const auto planes = type.layout == Layout::planar ? static_cast<size_t>(type.channels) : size_t{1};
  return planes * static_cast<size_t>(extent.height_px) * row_bytes(type, extent);
}

// An owned tensor, tightly packed.
struct Tensor {
  TensorType type;
  Extent extent;
  std::vector<std::byte> bytes;

  Tensor() = default;
  Tensor(const TensorType& tensor_type, const Extent& tensor_extent)
      : type(tensor_type), extent(tensor_extent), bytes(packed_bytes(tensor_type, tensor_extent)) {}

  [[nodiscard]] TensorView view() const { return {type, extent, row_bytes(type, extent), bytes}; }
  [[nodiscard]] MutableTensorView view() { return {type, extent, row_bytes(type, extent), bytes}; }
  // The elements as T, which must match the dtype.
  template <typename T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

}  // namespace upres
