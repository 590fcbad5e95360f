// JPEG structure: ITU-T T.81 annex B; JFIF 1.02; Exif 2.32 section 4.7; XMP part 3, section 1.1.3; ICC.1
// annex B.4.
#include <array>

#include "image/exif.h"
#include "image/scan.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

constexpr uint32_t kSof0 = 0xc0;
constexpr uint32_t kSof15 = 0xcf;
constexpr uint32_t kDht = 0xc4;
constexpr uint32_t kJpg = 0xc8;
constexpr uint32_t kDac = 0xcc;
constexpr uint32_t kRst0 = 0xd0;
constexpr uint32_t kSoi = 0xd8;
constexpr uint32_t kEoi = 0xd9;
constexpr uint32_t kSos = 0xda;
constexpr uint32_t kApp0 = 0xe0;
constexpr uint32_t kCom = 0xfe;
constexpr uint32_t kTem = 0x01;

constexpr std::string_view kExifHead = "Exif\0\0"sv;
constexpr std::string_view kXmpHead = "http://ns.adobe.com/xap/1.0/\0"sv;
constexpr std::string_view kExtendedXmpHead = "http://ns.adobe.com/xmp/extension/\0"sv;

struct Segment {
  uint32_t marker = 0;
  uint64_t begin = 0;  // of the payload
  uint64_t length = 0;
  [[nodiscard]] uint64_t end() const { return begin + length; }
};

bool is_frame(uint32_t marker) {
  return marker >= kSof0 && marker <= kSof15 && marker != kDht && marker != kJpg && marker != kDac;
}

bool stands_alone(uint32_t marker) { return marker == kTem || (marker >= kRst0 && marker <= kSoi); }

// The segment that begins at `at`, fill bytes before its marker skipped.
Result<Segment> segment_at(const ByteReader& file, uint64_t at) {
  std::array<uint8_t, 2> marker = {};
  if (!file.read_at(at, marker)) return damaged(Format::jpeg, "it ends before the picture");
  if (marker[0] != 0xff) return damaged(Format::jpeg, "no marker where one must be");
  while (marker[1] == 0xff) {
    if (!file.read_at(++at, marker)) return damaged(Format::jpeg, "it ends before the picture");
  }
  Segment segment{marker[1], at + 2, 0};
  if (stands_alone(segment.marker) || segment.marker == kEoi) return segment;
  std::array<uint8_t, 2> length = {};
  if (!file.read_at(at + 2, length) || big16(length) < 2) return damaged(Format::jpeg, "a broken segment");
  segment.begin += 2;
  segment.length = big16(length) - 2;
  if (segment.end() > file.size_bytes()) return damaged(Format::jpeg, "it ends before the picture");
  return segment;
}

Status take_frame(const std::vector<std::byte>& payload, Scan& found) {
  const auto bytes = as_u8(payload);
  if (bytes.size() < 6) return damaged(Format::jpeg, "a broken frame header");
  if (bytes[0] != 8) {
    return unsupported("a JPEG file with " + std::to_string(bytes[0]) + "-bit samples",
                       "convert it to PNG or TIFF first");
  }
  found.stored.height_px = static_cast<int>(big16(bytes.subspan(1)));
  found.stored.width_px = static_cast<int>(big16(bytes.subspan(3)));
  const int components = bytes[5];
  if (components == 4) return unsupported("a CMYK picture (JPEG)", "convert it to RGB first");
  if (components != 1 && components != 3) {
    return unsupported("a JPEG file with " + std::to_string(components) + " components",
                       "convert it to grey or RGB first");
  }
  found.stored.channels = components;
  return {};
}

void take_jfif(std::span<const uint8_t> bytes, Scan& found) {
  if (bytes.size() < 12) return;
  const uint32_t unit = bytes[7];
  const uint32_t x = big16(bytes.subspan(8));
  const uint32_t y = big16(bytes.subspan(10));
  if ((unit != 1 && unit != 2) || x == 0 || y == 0) return;
  const double mm = unit == 1 ? 25.4 : 10.0;
  found.x_pixels_per_mm = x / mm;
  found.y_pixels_per_mm = y / mm;
}

void take_application_data(uint32_t marker, const std::vector<std::byte>& payload, Scan& found) {
  const auto bytes = as_u8(payload);
  const auto after = [&](std::string_view head) {
    return std::vector<std::byte>(payload.begin() + static_cast<ptrdiff_t>(head.size()), payload.end());
  };
  switch (marker - kApp0) {
    case 0:
      if (starts_with(bytes, "JFIF\0"sv)) take_jfif(bytes, found);
      break;
    case 1:
      if (starts_with(bytes, kExifHead) && found.exif.empty()) found.exif = after(kExifHead);
      if (starts_with(bytes, kXmpHead) && found.xmp.empty()) found.xmp = after(kXmpHead);
      if (starts_with(bytes, kExtendedXmpHead)) found.not_kept.emplace_back("extended XMP");
      break;
    case 2:
      if (starts_with(bytes, "ICC_PROFILE\0"sv)) found.has_icc = true;
      if (starts_with(bytes, "MPF\0"sv)) found.not_kept.emplace_back("further pictures (MPF)");
      break;
    case 13:
      if (starts_with(bytes, "Photoshop 3.0\0"sv)) found.not_kept.emplace_back("IPTC and Photoshop data");
      break;
    default:
      break;
  }
}

Status take(const ByteReader& file, const Segment& segment, Scan& found) {
  const bool is_application_data = segment.marker >= kApp0 && segment.marker < kApp0 + 16;
  if (segment.marker == kCom) found.comments.emplace_back("comment");
  if (!is_application_data && !is_frame(segment.marker)) return {};
  const auto payload = file.bytes_at(segment.begin, segment.length);
  if (!payload) return damaged(Format::jpeg, "it ends before the picture");
  if (is_frame(segment.marker)) return take_frame(*payload, found);
  take_application_data(segment.marker, *payload, found);
  return {};
}

}  // namespace

Result<Scan> scan_jpeg(const ByteReader& file) {
  Scan found;
  found.format = Format::jpeg;
  for (uint64_t at = 2;;) {
    Result<Segment> segment = segment_at(file, at);
    if (!segment) return propagate(segment);
    if (segment->marker == kSos) break;
    if (segment->marker == kEoi) return damaged(Format::jpeg, "it holds no picture");
    if (Status status = take(file, *segment, found); !status) return propagate(status);
    at = segment->end();
  }
  if (found.stored.channels == 0) return damaged(Format::jpeg, "it has no frame header");
  if (!found.x_pixels_per_mm) {
    if (const auto resolution = exif_resolution(found.exif)) {
      found.x_pixels_per_mm = resolution->x_pixels_per_mm;
      found.y_pixels_per_mm = resolution->y_pixels_per_mm;
    }
  }
  return found;
}

}  // namespace upres::image
