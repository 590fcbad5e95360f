// JFIF 1.02; Exif 2.32 section 4.7; XMP part 3, section 1.1.3; ICC.1:2022 annex B.4.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "image/embed.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

constexpr size_t kMaxSegmentBytes = 65533;  // without the two bytes of its length
constexpr std::string_view kExifHead = "Exif\0\0"sv;
constexpr std::string_view kXmpHead = "http://ns.adobe.com/xap/1.0/\0"sv;
constexpr std::string_view kIccHead = "ICC_PROFILE\0"sv;

void append_segment_head(Bytes& to, uint8_t marker, size_t payload_bytes) {
  append_big(to, 0xff00U | marker, 2);
  append_big(to, payload_bytes + 2, 2);
}

void append_block(Bytes& to, std::string_view head, std::span<const std::byte> block, const char* what,
                  const Log& log) {
  if (block.empty()) return;
  if (head.size() + block.size() > kMaxSegmentBytes) {
    log.warning(std::string(what) + " of " + std::to_string(block.size()) +
                " bytes is too large for JPEG: left out");
    return;
  }
  append_segment_head(to, 0xe1, head.size() + block.size());
  append(to, head);
  append(to, block);
}

void append_icc(Bytes& to, std::span<const std::byte> icc, const Log& log) {
  constexpr size_t kPartBytes = kMaxSegmentBytes - kIccHead.size() - 2;
  const size_t parts = (icc.size() + kPartBytes - 1) / kPartBytes;
  if (parts > 255) {
    log.warning("colour profile of " + std::to_string(icc.size()) + " bytes is too large for JPEG: left out");
    return;
  }
  for (size_t i = 0; i < parts; ++i) {
    const auto part = icc.subspan(i * kPartBytes, std::min(kPartBytes, icc.size() - i * kPartBytes));
    append_segment_head(to, 0xe2, kIccHead.size() + 2 + part.size());
    append(to, kIccHead);
    append_big(to, i + 1, 1);
    append_big(to, parts, 1);
    append(to, part);
  }
}

bool is_whole(double value) { return std::abs(value - std::round(value)) < 1e-3; }

// The JFIF segment, with whole dots per inch, or per cm where only these are whole, or 1:1 without a unit.
void append_jfif(Bytes& to, const Metadata& metadata) {
  uint64_t unit = 0;
  double x = metadata.x_pixels_per_mm.value_or(0);
  double y = metadata.y_pixels_per_mm.value_or(0);
  if (x > 0 && y > 0) {
    const bool is_cm = is_whole(x * 10) && is_whole(y * 10) && !(is_whole(x * 25.4) && is_whole(y * 25.4));
    unit = is_cm ? 2 : 1;
    x = std::round(x * (is_cm ? 10 : 25.4));
    y = std::round(y * (is_cm ? 10 : 25.4));
  }
  if (!(x >= 1 && y >= 1 && x <= 65535 && y <= 65535)) {
    unit = 0;
    x = y = 1;
  }
  append_segment_head(to, 0xe0, 14);
  append(to, "JFIF\0\x01\x02"sv);
  append_big(to, unit, 1);
  append_big(to, static_cast<uint64_t>(x), 2);
  append_big(to, static_cast<uint64_t>(y), 2);
  append_big(to, 0, 2);  // no thumbnail
}

// Where the encoder's own segments begin, after a JFIF segment that it may have written.
size_t begin_of_rest(std::span<const uint8_t> file) {
  constexpr size_t kLengthAt = 4;
  if (!starts_with(file, "\xff\xd8\xff\xe0"sv) || file.size() < kLengthAt + 2) return 2;
  return std::min<size_t>(file.size(), kLengthAt + big16(file.subspan(kLengthAt)));
}

}  // namespace

Bytes embed_jpeg(const Bytes& file, const Metadata& metadata, const Log& log) {
  if (file.size() < 4) return file;
  Bytes result(file.begin(), file.begin() + 2);  // SOI
  append_jfif(result, metadata);
  append_block(result, kExifHead, metadata.exif, "EXIF", log);
  append_block(result, kXmpHead, metadata.xmp, "XMP", log);
  append_icc(result, metadata.icc, log);
  append(result, std::span(file).subspan(begin_of_rest(as_u8(file))));
  return result;
}

}  // namespace upres::image
