#include "upscale/windows.h"

#include <cstring>

namespace upres::upscale {
namespace {

size_t planes_of(const TensorType& type) {
  return type.layout == Layout::planar ? static_cast<size_t>(type.channels) : size_t{1};
}

// Bytes from one pixel to the next in a row.
size_t pixel_bytes(const TensorType& type) { return row_bytes(type, {1, 1}); }

template <typename View>
size_t offset_bytes(const View& view, size_t plane, const Origin& at) {
  const size_t row = plane * static_cast<size_t>(view.extent.height_px) + static_cast<size_t>(at.y_px);
  return row * view.row_stride_bytes + static_cast<size_t>(at.x_px) * pixel_bytes(view.type);
}

template <typename View>
std::optional<View> make_window(const View& view, const Origin& origin, const Extent& extent) {
  const size_t planes = planes_of(view.type);
  if (planes > 1 && extent.height_px != view.extent.height_px) return std::nullopt;
  View window = view;
  window.extent = extent;
  const size_t begin = offset_bytes(view, 0, origin);
  const size_t rows = planes * static_cast<size_t>(extent.height_px);
  window.bytes = view.bytes.subspan(begin, (rows - 1) * view.row_stride_bytes + row_bytes(view.type, extent));
  return window;
}

}  // namespace

std::optional<TensorView> window_of(const TensorView& view, const Origin& origin, const Extent& extent) {
  return make_window(view, origin, extent);
}

std::optional<MutableTensorView> window_of(const MutableTensorView& view, const Origin& origin,
                                           const Extent& extent) {
  return make_window(view, origin, extent);
}

void copy_window(const TensorView& from, const Origin& from_origin, const MutableTensorView& to,
                 const Origin& to_origin, const Extent& extent) {
  const size_t length = row_bytes(from.type, extent);
  for (size_t plane = 0; plane < planes_of(from.type); ++plane) {
    const std::byte* source = from.bytes.data() + offset_bytes(from, plane, from_origin);
    std::byte* target = to.bytes.data() + offset_bytes(to, plane, to_origin);
    for (int y = 0; y < extent.height_px; ++y) {
      std::memcpy(target, source, length);
      source += from.row_stride_bytes;
      target += to.row_stride_bytes;
    }
  }
}

}  // namespace upres::upscale
