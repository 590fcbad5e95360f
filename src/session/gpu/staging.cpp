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

// Rows in memory, one behind the other in order, each beginning stride_bytes after the one before.
template <typename Byte>
struct Rows {
  Byte* begin = nullptr;
  size_t stride_bytes = 0;
};

void copy_range(const Rows<const std::byte>& from, const Rows<std::byte>& to, size_t bytes, size_t first,
                size_t last) {
  if (first == last) return;
  if (from.stride_bytes == bytes && to.stride_bytes == bytes) {
    std::memcpy(to.begin + first * bytes, from.begin + first * bytes, bytes * (last - first));
    return;
  }
  for (size_t row = first; row < last; ++row)
    std::memcpy(to.begin + row * to.stride_bytes, from.begin + row * from.stride_bytes, bytes);
}

void copy_rows(const Rows<const std::byte>& from, const Rows<std::byte>& to, size_t bytes, size_t rows,
               CopyThreads& threads) {
  threads.run(rows, bytes * rows,
              [&](size_t first, size_t last) { copy_range(from, to, bytes, first, last); });
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

void copy_to_device(const TensorView& view, std::span<std::byte> device, CopyThreads& threads) {
  copy_rows({view.bytes.data(), view.row_stride_bytes},
            {device.data(), kernels::device_row_bytes(view.type, view.extent)},
            row_bytes(view.type, view.extent), row_count(view.type, view.extent), threads);
}

void copy_from_device(std::span<const std::byte> device, const MutableTensorView& view,
                      CopyThreads& threads) {
  copy_rows({device.data(), kernels::device_row_bytes(view.type, view.extent)},
            {view.bytes.data(), view.row_stride_bytes}, row_bytes(view.type, view.extent),
            row_count(view.type, view.extent), threads);
}

}  // namespace upres::session
