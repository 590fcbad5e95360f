#include "session/gpu/staging.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/kernel.h"

namespace upres::session {
namespace {

// Rows of all planes, one behind the other.
size_t row_count(const TensorType& type, const Extent& extent) {
  const size_t planes = type.layout == Layout::planar ? static_cast<size_t>(type.channels) : 1;
  return planes * static_cast<size_t>(extent.height_px);
}

void copy_rows(const std::byte* from, size_t from_stride, std::byte* to, size_t to_stride, size_t bytes,
               size_t rows) {
  if (from_stride == bytes && to_stride == bytes) {
    std::memcpy(to, from, bytes * rows);
    return;
  }
  for (size_t row = 0; row < rows; ++row) std::memcpy(to + row * to_stride, from + row * from_stride, bytes);
}

std::string text(const TensorType& type, const Extent& extent) {
  return std::to_string(type.channels) + " x " + std::string(name(type.dtype)) + " of " +
         std::to_string(extent.width_px) + "x" + std::to_string(extent.height_px);
}

}  // namespace

Status check_view(const TensorType& type, const Extent& extent, const TensorView& view) {
  if (view.extent != extent || view.type != type) {
    const bool size_only = view.type == type;
    return fail(size_only ? ErrorCode::model : ErrorCode::usage,
                "the network has a tensor of " + text(type, extent) + " where " +
                    text(view.type, view.extent) +
                    (size_only ? " was given" : " was given (or another layout)"));
  }
  const size_t bytes = row_bytes(type, extent);
  const size_t needed = (row_count(type, extent) - 1) * view.row_stride_bytes + bytes;
  if (view.row_stride_bytes >= bytes && view.bytes.size() >= needed) return {};
  return fail(ErrorCode::usage, "a view of " + text(type, extent) + " with rows " +
                                    std::to_string(view.row_stride_bytes) + " bytes apart has only " +
                                    std::to_string(view.bytes.size()) + " bytes");
}

void copy_to_device(const TensorView& view, std::span<std::byte> device) {
  copy_rows(view.bytes.data(), view.row_stride_bytes, device.data(),
            kernels::device_row_bytes(view.type, view.extent), row_bytes(view.type, view.extent),
            row_count(view.type, view.extent));
}

void copy_from_device(std::span<const std::byte> device, const MutableTensorView& view) {
  copy_rows(device.data(), kernels::device_row_bytes(view.type, view.extent), view.bytes.data(),
            view.row_stride_bytes, row_bytes(view.type, view.extent), row_count(view.type, view.extent));
}

}  // namespace upres::session
