#include "session/cpu/row_buffer.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "session/cpu/samples.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace upres::session::cpu {
namespace {

constexpr size_t kCacheLine_bytes = 64;
constexpr size_t kHugePage_bytes = size_t{2} << 20;

}  // namespace

AlignedMemory::AlignedMemory(size_t bytes) {
  const bool huge = bytes >= kHugePage_bytes;
  const std::align_val_t alignment{huge ? kHugePage_bytes : kCacheLine_bytes};
  data_ = {static_cast<std::byte*>(::operator new(bytes, alignment)), AlignedDelete{alignment}};
  size_bytes_ = bytes;
#if defined(__linux__)
  // A hint: whether it is followed changes nothing but time.
  if (huge) static_cast<void>(madvise(data_.get(), bytes / kHugePage_bytes * kHugePage_bytes, MADV_HUGEPAGE));
#endif
}

size_t row_bytes(const Port& form, int channels, int width_px) {
  return static_cast<size_t>(width_px) * static_cast<size_t>(channels) * size_bytes(form.element);
}

void RowBuffer::reset(const Port& form, int channels, const Extent& extent, int capacity_rows) {
  capacity_rows_ = std::clamp(capacity_rows, 1, extent.height_px);
  planes_ = form.order == Order::planar ? channels : 1;
  const size_t all_planes_bytes = row_bytes(form, channels, extent.width_px);
  rows_ = {.data = nullptr,
           .first_row = 0,
           .row_stride_bytes = all_planes_bytes / static_cast<size_t>(planes_),
           .plane_stride_bytes = 0,
           .channels = channels,
           .width_px = extent.width_px,
           .height_px = extent.height_px};
  if (form.order == Order::planar)
    rows_.plane_stride_bytes = rows_.row_stride_bytes * static_cast<size_t>(capacity_rows_);
  const size_t bytes =
      all_planes_bytes * static_cast<size_t>(capacity_rows_) + kRowSlack_elems * sizeof(float);
  if (memory_.size_bytes() < bytes) {
    memory_ = {};  // first, so that both are not held at once
    memory_ = AlignedMemory(bytes);
  }
  rows_.data = memory_.data();
}

void RowBuffer::make_room(int keep_from, int ready, int end) {
  if (end - rows_.first_row <= capacity_rows_) return;
  assert(end - keep_from <= capacity_rows_);
  const size_t kept_bytes = static_cast<size_t>(ready - keep_from) * rows_.row_stride_bytes;
  for (int plane = 0; plane < planes_; ++plane) {
    std::byte* front = rows_.data + static_cast<size_t>(plane) * rows_.plane_stride_bytes;
    if (kept_bytes > 0) std::memmove(front, rows_.row(keep_from, plane), kept_bytes);
  }
  rows_.first_row = keep_from;
}

}  // namespace upres::session::cpu
