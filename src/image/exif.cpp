#include "image/exif.h"

#include <cstdint>

#include "image/byte_reader.h"

namespace upres::image {
namespace {

constexpr uint32_t kImageWidth = 0x0100;
constexpr uint32_t kImageLength = 0x0101;
constexpr uint32_t kOrientation = 0x0112;
constexpr uint32_t kXResolution = 0x011a;
constexpr uint32_t kYResolution = 0x011b;
constexpr uint32_t kResolutionUnit = 0x0128;
constexpr uint32_t kExifIfd = 0x8769;
constexpr uint32_t kPixelXDimension = 0xa002;
constexpr uint32_t kPixelYDimension = 0xa003;

constexpr uint32_t kTypeShort = 3;
constexpr uint32_t kTypeLong = 4;
constexpr uint32_t kTypeRational = 5;

constexpr size_t kEntryBytes = 12;

// A parsed view of the block: offsets only, so that it serves reading and writing.
class Block {
 public:
  explicit Block(std::span<const std::byte> bytes) : bytes_(as_u8(bytes)) {
    is_big_ = starts_with(bytes_, std::string_view("MM\0*", 4));
    is_valid_ = bytes_.size() >= 8 && (is_big_ || starts_with(bytes_, std::string_view("II*\0", 4)));
  }

  [[nodiscard]] bool is_big() const { return is_big_; }
  [[nodiscard]] bool contains(uint64_t offset, uint64_t length) const {
    return is_valid_ && offset <= bytes_.size() && length <= bytes_.size() - offset;
  }
  [[nodiscard]] uint32_t u16(uint64_t offset) const {
    return is_big_ ? big16(bytes_.subspan(offset)) : little16(bytes_.subspan(offset));
  }
  [[nodiscard]] uint32_t u32(uint64_t offset) const {
    return is_big_ ? big32(bytes_.subspan(offset)) : little32(bytes_.subspan(offset));
  }

  // Offset of the first directory; 0 if the block is not usable.
  [[nodiscard]] uint32_t ifd0() const { return is_valid_ ? u32(4) : 0; }
  [[nodiscard]] uint32_t entry_count(uint32_t ifd) const {
    return ifd != 0 && contains(ifd, 2) ? u16(ifd) : 0;
  }

  // Offset of the entry with this tag in a directory, 0 if there is none.
  [[nodiscard]] uint64_t entry(uint32_t ifd, uint32_t tag) const {
    for (uint32_t i = 0; i < entry_count(ifd); ++i) {
      const uint64_t offset = uint64_t{ifd} + 2 + kEntryBytes * i;
      if (!contains(offset, kEntryBytes)) return 0;
      if (u16(offset) == tag) return offset;
    }
    return 0;
  }

  // A single SHORT or LONG value.
  [[nodiscard]] std::optional<uint32_t> integer(uint32_t ifd, uint32_t tag) const {
    const uint64_t offset = entry(ifd, tag);
    if (offset == 0 || u32(offset + 4) != 1) return std::nullopt;
    if (u16(offset + 2) == kTypeShort) return u16(offset + 8);
    if (u16(offset + 2) == kTypeLong) return u32(offset + 8);
    return std::nullopt;
  }

  // A single RATIONAL value.
  [[nodiscard]] std::optional<double> rational(uint32_t ifd, uint32_t tag) const {
    const uint64_t offset = entry(ifd, tag);
    if (offset == 0 || u32(offset + 4) != 1 || u16(offset + 2) != kTypeRational) return std::nullopt;
    const uint32_t at = u32(offset + 8);
    if (!contains(at, 8) || u32(at + 4) == 0) return std::nullopt;
    return static_cast<double>(u32(at)) / u32(at + 4);
  }

 private:
  std::span<const uint8_t> bytes_;
  bool is_big_ = false;
  bool is_valid_ = false;
};

void store(std::span<std::byte> bytes, uint64_t offset, uint32_t value, size_t length, bool is_big) {
  for (size_t i = 0; i < length; ++i) {
    const size_t shift = 8 * (is_big ? length - 1 - i : i);
    bytes[offset + i] = static_cast<std::byte>(value >> shift & 0xffU);
  }
}

void set_integer(std::span<std::byte> bytes, const Block& block, uint32_t ifd, uint32_t tag, uint32_t value) {
  if (!block.integer(ifd, tag)) return;
  const uint64_t offset = block.entry(ifd, tag);
  const bool is_short = block.u16(offset + 2) == kTypeShort;
  if (is_short && value > 0xffff) return;
  store(bytes, offset + 8, value, is_short ? 2 : 4, block.is_big());
}

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  const Block block(exif);
  const uint32_t value = block.integer(block.ifd0(), kOrientation).value_or(1);
  return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
}

void reset_exif_orientation(std::span<std::byte> exif) {
  const Block block(exif);
  set_integer(exif, block, block.ifd0(), kOrientation, 1);
}

void unlink_exif_thumbnail(std::span<std::byte> exif) {
  const Block block(exif);
  const uint32_t ifd = block.ifd0();
  const uint64_t link = uint64_t{ifd} + 2 + kEntryBytes * block.entry_count(ifd);
  if (ifd != 0 && block.contains(ifd, 2) && block.contains(link, 4)) store(exif, link, 0, 4, block.is_big());
}

void set_exif_size(std::span<std::byte> exif, int width_px, int height_px) {
  const Block block(exif);
  const uint32_t ifd = block.ifd0();
  const auto width = static_cast<uint32_t>(width_px);
  const auto height = static_cast<uint32_t>(height_px);
  set_integer(exif, block, ifd, kImageWidth, width);
  set_integer(exif, block, ifd, kImageLength, height);
  const std::optional<uint32_t> exif_ifd = block.integer(ifd, kExifIfd);
  if (!exif_ifd) return;
  set_integer(exif, block, *exif_ifd, kPixelXDimension, width);
  set_integer(exif, block, *exif_ifd, kPixelYDimension, height);
}

std::optional<ExifResolution> exif_resolution(std::span<const std::byte> exif) {
  const Block block(exif);
  const uint32_t ifd = block.ifd0();
  const std::optional<double> x = block.rational(ifd, kXResolution);
  const std::optional<double> y = block.rational(ifd, kYResolution);
  const uint32_t unit = block.integer(ifd, kResolutionUnit).value_or(2);
  if (!x || !y || *x <= 0 || *y <= 0 || (unit != 2 && unit != 3)) return std::nullopt;
  const double mm = unit == 2 ? 25.4 : 10.0;
  return ExifResolution{*x / mm, *y / mm};
}

}  // namespace upres::image
