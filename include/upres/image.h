// Pictures in host memory: interleaved samples, rows from top to bottom, any row stride, and the metadata
// that travels with them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <upres/dtype.h>
#include <upres/error.h>

namespace upres {

struct Extent {
  int width_px = 0;
  int height_px = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

// Size and kind of a picture. channels: 1 grey, 2 grey + alpha, 3 RGB, 4 RGB + alpha (alpha not
// premultiplied). dtype: u8 and u16 (full range, native byte order) or f32 (0..1).
struct ImageShape {
  int width_px = 0;
  int height_px = 0;
  int channels = 0;
  DType dtype = DType::u8;

  [[nodiscard]] bool has_alpha() const { return channels == 2 || channels == 4; }
  [[nodiscard]] int color_channels() const { return channels <= 2 ? 1 : 3; }
  [[nodiscard]] size_t row_bytes() const {
    return static_cast<size_t>(width_px) * static_cast<size_t>(channels) * size_bytes(dtype);
  }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// Pixels that somebody else owns. `bytes` spans from the first sample to the last one; rows are
// row_stride_bytes apart (at least row_bytes()).
template <typename Byte>
struct BasicImageView {
  ImageShape shape;
  size_t row_stride_bytes = 0;
  std::span<Byte> bytes;

  // The samples of row y, row_bytes() long.
  [[nodiscard]] std::span<Byte> row(int y) const {
    return bytes.subspan(static_cast<size_t>(y) * row_stride_bytes, shape.row_bytes());
  }

  // A view that may write is one that may read.
  template <std::same_as<const std::byte> Read>
  requires(!std::is_const_v<Byte>) operator BasicImageView<Read>()
      const {  // NOLINT(google-explicit-constructor): meant to be implicit
    return {shape, row_stride_bytes, bytes};
  }
};
using ImageView = BasicImageView<const std::byte>;
using MutableImageView = BasicImageView<std::byte>;

// The rectangle of `view` that begins at (x, y); it must lie inside.
ImageView crop(const ImageView& view, int x, int y, int width_px, int height_px);
MutableImageView crop(const MutableImageView& view, int x, int y, int width_px, int height_px);

// What travels with the pixels from file to file, as raw bytes where the formats define a block.
struct Metadata {
  std::vector<std::byte> icc;   // colour profile
  std::vector<std::byte> exif;  // EXIF block, orientation already applied to the pixels and reset to 1
  std::vector<std::byte> xmp;
  std::optional<double> x_pixels_per_mm;  // resolution
  std::optional<double> y_pixels_per_mm;
};

// An owned picture; rows are tightly packed.
struct Image {
  ImageShape shape;
  std::vector<std::byte> bytes;
  Metadata metadata = {};

  // A picture of zeros. Errors: input (its size or channels are not possible, or exceed what memory can
  // address), usage (dtype is no DType).
  static Result<Image> create(const ImageShape& shape);

  [[nodiscard]] ImageView view() const { return {shape, shape.row_bytes(), bytes}; }
  [[nodiscard]] MutableImageView view() { return {shape, shape.row_bytes(), bytes}; }
};

}  // namespace upres
