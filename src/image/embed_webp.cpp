// WebP container: RFC 9649 section 2.7.
#include <string_view>

#include "image/embed.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

constexpr size_t kRiffHeadBytes = 12;
enum Flag : uint32_t { kXmpFlag = 0x04, kExifFlag = 0x08, kAlphaFlag = 0x10, kIccFlag = 0x20 };

void append_chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  if (data.empty()) return;
  append(to, type);
  append_little(to, data.size(), 4);
  append(to, data);
  if (data.size() % 2 != 0) to.push_back(std::byte{0});
}

Bytes canvas(const Metadata& metadata, const ImageShape& shape) {
  const uint32_t flags = (metadata.xmp.empty() ? 0U : kXmpFlag) | (metadata.exif.empty() ? 0U : kExifFlag) |
                         (metadata.icc.empty() ? 0U : kIccFlag) | (shape.has_alpha() ? kAlphaFlag : 0U);
  Bytes data;
  append_little(data, flags, 4);
  append_little(data, static_cast<uint64_t>(shape.width_px - 1), 3);
  append_little(data, static_cast<uint64_t>(shape.height_px - 1), 3);
  return data;
}

// The picture's own chunks. libvips 8.14 adds an EXIF chunk of its own making even when told not to.
Bytes picture_chunks(std::span<const std::byte> chunks) {
  constexpr size_t kChunkHeadBytes = 8;
  Bytes result;
  while (chunks.size() >= kChunkHeadBytes) {
    const uint64_t data_bytes = little32(as_u8(chunks).subspan(4));
    const uint64_t length = kChunkHeadBytes + data_bytes + data_bytes % 2;
    if (length > chunks.size()) break;
    const auto head = as_u8(chunks).first(4);
    if (starts_with(head, "ALPH") || starts_with(head, "VP8 ") || starts_with(head, "VP8L")) {
      append(result, chunks.first(length));
    }
    chunks = chunks.subspan(length);
  }
  return result;
}

}  // namespace

Bytes embed_webp(const Bytes& file, const Metadata& metadata, const ImageShape& shape, const Log& log) {
  if (metadata.x_pixels_per_mm && metadata.exif.empty()) log.info("WebP holds no resolution: left out");
  if (file.size() < kRiffHeadBytes) return file;
  const Bytes picture = picture_chunks(std::span(file).subspan(kRiffHeadBytes));
  const bool is_bare = metadata.icc.empty() && metadata.exif.empty() && metadata.xmp.empty();
  Bytes chunks;
  if (!is_bare || starts_with(as_u8(picture), "ALPH")) append_chunk(chunks, "VP8X", canvas(metadata, shape));
  append_chunk(chunks, "ICCP", metadata.icc);
  append(chunks, picture);
  append_chunk(chunks, "EXIF", metadata.exif);
  append_chunk(chunks, "XMP ", metadata.xmp);
  Bytes result;
  append(result, "RIFF"sv);
  append_little(result, chunks.size() + 4, 4);
  append(result, "WEBP"sv);
  append(result, chunks);
  return result;
}

}  // namespace upres::image
