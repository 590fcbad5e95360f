// Memory for the rows of one place that somebody still reads.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "session/cpu/place.h"

namespace upres::session::cpu {

struct AlignedDelete {
  std::align_val_t alignment{64};
  void operator()(std::byte* data) const { ::operator delete(data, alignment); }
};

// Uninitialised memory at a cache line's boundary; where it is large, in huge pages if the system has them:
// rows far apart are read side by side, and each 4 KiB page costs an address translation.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  // Throws std::bad_alloc.
  explicit AlignedMemory(size_t bytes);

  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] size_t size_bytes() const { return size_bytes_; }

 private:
  std::unique_ptr<std::byte, AlignedDelete> data_;
  size_t size_bytes_ = 0;
};

// A window of rows that slides down the value. Rows are dense; whole vectors may be read and written behind
// the last.
class RowBuffer {
 public:
  // Room for capacity_rows rows. Throws std::bad_alloc.
  void reset(const Port& form, int channels, const Extent& extent, int capacity_rows);
  // Empties it; the next row written is first_row.
  void start_at(int first_row) { rows_.first_row = first_row; }
  // Makes room for rows up to `end`; those before keep_from are dropped, [keep_from, ready) are kept.
  void make_room(int keep_from, int ready, int end);

  [[nodiscard]] const MutableRows& rows() const { return rows_; }
  [[nodiscard]] size_t size_bytes() const { return memory_.size_bytes(); }

 private:
  AlignedMemory memory_;
  MutableRows rows_;
  int planes_ = 1;
  int capacity_rows_ = 0;
};

// Bytes of one row of all channels.
size_t row_bytes(const Port& form, int channels, int width_px);

}  // namespace upres::session::cpu
