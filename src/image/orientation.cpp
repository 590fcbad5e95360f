#include "image/orientation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace upres::image {
namespace {

// Where the pixels of the result come from: source pixel index = begin + x * step_x + y * step_y.
struct Walk {
  int64_t begin;
  int64_t step_x;
  int64_t step_y;
};

Walk walk_of(int orientation, int64_t width, int64_t height) {
  const int64_t last_column = width - 1;
  const int64_t last_row = (height - 1) * width;
  switch (orientation) {
    case 2:
      return {last_column, -1, width};
    case 3:
      return {last_row + last_column, -1, -width};
    case 4:
      return {last_row, 1, -width};
    case 5:
      return {0, width, 1};
    case 6:
      return {last_row, -width, 1};
    case 7:
      return {last_row + last_column, -width, -1};
    case 8:
      return {last_column, width, -1};
    default:
      return {0, 1, width};
  }
}

// Square blocks keep both the rows read and the rows written in the cache.
constexpr int kBlockPx = 32;

template <size_t kPixelBytes>
void copy(const std::byte* from, std::byte* to, const ImageShape& result, const Walk& walk) {
  using Pixel = std::array<std::byte, kPixelBytes>;
  const auto* source = reinterpret_cast<const Pixel*>(from);
  auto* target = reinterpret_cast<Pixel*>(to);
  for (int block_y = 0; block_y < result.height_px; block_y += kBlockPx) {
    const int end_y = std::min(result.height_px, block_y + kBlockPx);
    for (int block_x = 0; block_x < result.width_px; block_x += kBlockPx) {
      const int end_x = std::min(result.width_px, block_x + kBlockPx);
      for (int y = block_y; y < end_y; ++y) {
        for (int x = block_x; x < end_x; ++x) {
          target[int64_t{y} * result.width_px + x] = source[walk.begin + x * walk.step_x + y * walk.step_y];
        }
      }
    }
  }
}

void copy_any(const Image& from, Image& to, const Walk& walk) {
  const size_t pixel_bytes = static_cast<size_t>(from.shape.channels) * size_bytes(from.shape.dtype);
  const std::byte* source = from.bytes.data();
  std::byte* target = to.bytes.data();
  switch (pixel_bytes) {
    case 1:
      return copy<1>(source, target, to.shape, walk);
    case 2:
      return copy<2>(source, target, to.shape, walk);
    case 3:
      return copy<3>(source, target, to.shape, walk);
    case 4:
      return copy<4>(source, target, to.shape, walk);
    case 6:
      return copy<6>(source, target, to.shape, walk);
    case 8:
      return copy<8>(source, target, to.shape, walk);
    case 12:
      return copy<12>(source, target, to.shape, walk);
    case 16:
      return copy<16>(source, target, to.shape, walk);
    default:
      return;
  }
}

}  // namespace

Result<Image> apply_orientation(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  ImageShape shape = image.shape;
  if (orientation >= 5) std::swap(shape.width_px, shape.height_px);
  Result<Image> turned = Image::create(shape);
  if (!turned) return turned;
  copy_any(image, *turned, walk_of(orientation, image.shape.width_px, image.shape.height_px));
  turned->metadata = std::move(image.metadata);
  if (orientation >= 5) std::swap(turned->metadata.x_pixels_per_mm, turned->metadata.y_pixels_per_mm);
  return turned;
}

}  // namespace upres::image
