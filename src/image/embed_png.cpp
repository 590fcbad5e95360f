// PNG specification, third edition: iCCP, pHYs, iTXt, eXIf; XMP part 3, section 1.1.5.
#include <zlib.h>

#include <cmath>
#include <string_view>

#include "image/embed.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

constexpr size_t kHeadBytes = 8 + 25;  // signature and IHDR
constexpr size_t kChunkFrameBytes = 12;

void append_chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  append_big(to, data.size(), 4);
  const size_t begin = to.size();
  append(to, type);
  append(to, data);
  const auto covered = as_u8(std::span(to).subspan(begin));
  append_big(to, crc32_z(0, covered.data(), covered.size()), 4);
}

void append_icc(Bytes& to, std::span<const std::byte> icc, const Log& log) {
  if (icc.empty()) return;
  uLongf packed_bytes = compressBound(icc.size());
  Bytes packed(packed_bytes);
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &packed_bytes, as_u8(icc).data(), icc.size()) !=
      Z_OK) {
    log.warning("colour profile cannot be compressed: left out");
    return;
  }
  Bytes data;
  append(data, "ICC profile\0\0"sv);  // name, end of name, method deflate
  append(data, std::span(packed).first(packed_bytes));
  append_chunk(to, "iCCP", data);
}

void append_resolution(Bytes& to, const Metadata& metadata) {
  const double x = std::round(metadata.x_pixels_per_mm.value_or(0) * 1000);
  const double y = std::round(metadata.y_pixels_per_mm.value_or(0) * 1000);
  if (!(x >= 1 && y >= 1 && x < 0x7fffffff && y < 0x7fffffff)) return;
  Bytes data;
  append_big(data, static_cast<uint64_t>(x), 4);
  append_big(data, static_cast<uint64_t>(y), 4);
  append_big(data, 1, 1);  // the unit is the metre
  append_chunk(to, "pHYs", data);
}

void append_xmp(Bytes& to, std::span<const std::byte> xmp) {
  if (xmp.empty()) return;
  Bytes data;
  append(data,
         "XML:com.adobe.xmp\0\0\0\0\0"sv);  // keyword; not compressed; no language, no translated keyword
  append(data, xmp);
  append_chunk(to, "iTXt", data);
}

// The encoder always writes a pHYs, also where the resolution is unknown.
Bytes without_resolution(std::span<const std::byte> chunks) {
  Bytes result;
  result.reserve(chunks.size());
  while (chunks.size() >= kChunkFrameBytes) {
    const size_t length = big32(as_u8(chunks)) + kChunkFrameBytes;
    if (length > chunks.size()) break;
    if (!starts_with(as_u8(chunks).subspan(4), "pHYs")) append(result, chunks.first(length));
    chunks = chunks.subspan(length);
  }
  append(result, chunks);
  return result;
}

}  // namespace

Bytes embed_png(const Bytes& file, const Metadata& metadata, const Log& log) {
  if (file.size() < kHeadBytes) return file;
  Bytes result(file.begin(), file.begin() + kHeadBytes);
  append_icc(result, metadata.icc, log);
  append_resolution(result, metadata);
  append_xmp(result, metadata.xmp);
  if (!metadata.exif.empty()) append_chunk(result, "eXIf", metadata.exif);
  append(result, without_resolution(std::span(file).subspan(kHeadBytes)));
  return result;
}

}  // namespace upres::image
