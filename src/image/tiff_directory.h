// Directories of TIFF and BigTIFF files: tags and their values, without any judgement about them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "image/byte_reader.h"

namespace upres::image {

struct TiffEntry {
  uint32_t tag = 0;
  uint32_t type = 0;   // field type of TIFF 6.0 section 2
  uint64_t count = 0;  // of values
  uint64_t at = 0;     // where in the file the values lie; they are inside it
};

struct TiffDirectory {
  std::vector<TiffEntry> entries;
  uint64_t next = 0;  // offset of the next directory, 0 after the last one

  // The entry with this tag, null if there is none.
  [[nodiscard]] const TiffEntry* find(uint32_t tag) const;
};

// Reads a file in its own byte order and offset width. Not a copy: the file must outlive it.
class TiffReader {
 public:
  explicit TiffReader(const ByteReader& file);

  [[nodiscard]] const ByteReader& file() const { return file_; }

  // Offset of the first directory; nothing if the file ends before.
  [[nodiscard]] std::optional<uint64_t> first_directory() const;

  // The directory at an offset; nothing if it, or the values of one of its entries, are not inside the file.
  [[nodiscard]] std::optional<TiffDirectory> directory(uint64_t at) const;

  // All values of a tag of type BYTE, SHORT, LONG, IFD or LONG8; empty if it is absent; nothing if it is of
  // another type or absurdly long.
  [[nodiscard]] std::optional<std::vector<uint64_t>> integers(const TiffDirectory& directory,
                                                              uint32_t tag) const;

  // The first of integers(), or `otherwise`, meant for what the specification says of an absent tag.
  [[nodiscard]] uint64_t integer(const TiffDirectory& directory, uint32_t tag, uint64_t otherwise) const;

  // A single RATIONAL; nothing if it is absent or has no value.
  [[nodiscard]] std::optional<double> rational(const TiffDirectory& directory, uint32_t tag) const;

 private:
  [[nodiscard]] uint64_t decoded(std::span<const uint8_t> bytes) const;
  [[nodiscard]] std::optional<uint64_t> integer_at(uint64_t at, size_t length) const;
  [[nodiscard]] std::optional<TiffEntry> entry(std::span<const uint8_t> bytes, uint64_t at) const;

  const ByteReader& file_;
  bool is_big_endian_ = false;
  size_t word_bytes_ = 4;  // of counts and offsets; 8 in BigTIFF
};

}  // namespace upres::image
