// Pictures for the tests of the public interface.
#pragma once

#include <upres/upscaler.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace upres::test {

inline void put(std::span<std::byte> row, size_t index, DType dtype, double value) {
  if (dtype == DType::u8) {
    row[index] = static_cast<std::byte>(std::lround(value * 255));
  } else if (dtype == DType::u16) {
    const auto sample = static_cast<uint16_t>(std::lround(value * 65535));
    std::memcpy(&row[index * 2], &sample, 2);
  } else {
    const auto sample = static_cast<float>(std::lround(value * 65535)) / 65535.0F;
    std::memcpy(&row[index * 4], &sample, 4);
  }
}

// Smooth, with structure in every channel; opaque where there is alpha.
inline Image picture(const ImageShape& shape) {
  Image image = Image::create(shape).value();
  const MutableImageView view = image.view();
  for (int y = 0; y < shape.height_px; ++y) {
    for (int x = 0; x < shape.width_px; ++x) {
      for (int c = 0; c < shape.channels; ++c) {
        const bool is_alpha = shape.has_alpha() && c == shape.channels - 1;
        const double value = 0.5 + 0.4 * std::sin(x / (2.0 + c)) * std::cos(y / (3.0 - 0.5 * c));
        const auto index = static_cast<size_t>(x * shape.channels + c);
        put(view.row(y), index, shape.dtype, is_alpha ? 1 : value);
      }
    }
  }
  return image;
}

// The same pixels with `padding` bytes after each row, beginning `offset` bytes into the memory.
struct Padded {
  std::vector<std::byte> memory;
  MutableImageView view;

  Padded(const ImageShape& shape, size_t padding, size_t offset) {
    const size_t stride = shape.row_bytes() + padding;
    memory.resize(offset + stride * static_cast<size_t>(shape.height_px), std::byte{0xcd});
    view = {shape, stride, std::span(memory).subspan(offset, memory.size() - offset - padding)};
  }
  void fill(const ImageView& from) {
    for (int y = 0; y < from.shape.height_px; ++y) {
      const auto row = from.row(y);
      std::copy(row.begin(), row.end(), view.row(y).begin());
    }
  }
  [[nodiscard]] std::vector<std::byte> packed() const {
    std::vector<std::byte> bytes;
    for (int y = 0; y < view.shape.height_px; ++y) {
      const auto row = view.row(y);
      bytes.insert(bytes.end(), row.begin(), row.end());
    }
    return bytes;
  }
};

inline Upscaler upscaler(std::string_view model = "espcn_x2", const UpscalerOptions& options = {}) {
  return Upscaler::create(Device::open("cpu").value(), Model::embedded(model).value(), options).value();
}

}  // namespace upres::test
