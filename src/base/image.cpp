#include "base/image.h"

#include <new>

namespace upres {
namespace {

template <typename View>
View crop_view(const View& view, int x, int y, int width_px, int height_px) {
  View result = view;
  result.shape.width_px = width_px;
  result.shape.height_px = height_px;
  const size_t pixel_bytes = static_cast<size_t>(view.shape.channels) * size_bytes(view.shape.dtype);
  const size_t begin = static_cast<size_t>(y) * view.row_stride_bytes + static_cast<size_t>(x) * pixel_bytes;
  const size_t rows_before_last = height_px > 0 ? static_cast<size_t>(height_px - 1) : 0;
  const size_t length =
      height_px > 0 ? rows_before_last * view.row_stride_bytes + result.shape.row_bytes() : 0;
  result.bytes = view.bytes.subspan(begin, length);
  return result;
}

std::string size_text(const ImageShape& shape) {
  return std::to_string(shape.width_px) + "x" + std::to_string(shape.height_px) + " with " +
         std::to_string(shape.channels) + " channels";
}

}  // namespace

ImageView crop(const ImageView& view, int x, int y, int width_px, int height_px) {
  return crop_view(view, x, y, width_px, height_px);
}

MutableImageView crop(const MutableImageView& view, int x, int y, int width_px, int height_px) {
  return crop_view(view, x, y, width_px, height_px);
}

Result<Image> Image::create(const ImageShape& shape) {
  if (size_bytes(shape.dtype) == 0) {
    return fail(ErrorCode::usage, "there are no samples of type " +
                                      std::to_string(static_cast<int>(shape.dtype)) +
                                      "; pictures have u8, u16 or f32");
  }
  if (shape.width_px <= 0 || shape.height_px <= 0 || shape.channels < 1 || shape.channels > 4) {
    return fail(ErrorCode::input, "a picture of " + size_text(shape) + " is not possible");
  }
  try {
    Image image{shape, {}};
    image.bytes.resize(shape.row_bytes() * static_cast<size_t>(shape.height_px));
    return image;
  } catch (const std::exception&) {  // bad_alloc, length_error
    return fail(ErrorCode::input, "not enough memory for a picture of " + size_text(shape));
  }
}

}  // namespace upres
