// WebP structure: RFC 9649, sections 2 (container) and 3 (lossless); VP8 frame header: RFC 6386 section 9.1.
#include <algorithm>
#include <array>
#include <utility>

#include "image/scan.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kRiffHeadBytes = 12;

struct Chunk {
  std::array<char, 4> type = {};
  uint64_t begin = 0;
  uint32_t length = 0;
  [[nodiscard]] std::string_view name() const { return {type.data(), type.size()}; }
  [[nodiscard]] uint64_t end() const { return begin + length + length % 2; }
};

struct State {
  bool has_canvas = false;
  bool has_bitstream = false;
  int frame_count = 0;
};

Result<Chunk> chunk_at(const ByteReader& file, uint64_t at, uint64_t riff_end) {
  std::array<uint8_t, 8> head = {};
  if (!file.read_at(at, head)) return damaged(Format::webp, "it ends early");
  Chunk chunk{{}, at + 8, little32(std::span(head).subspan(4))};
  std::copy_n(head.begin(), 4, chunk.type.begin());
  if (chunk.begin + chunk.length > riff_end) return damaged(Format::webp, "it ends early");
  return chunk;
}

Status take_canvas(std::span<const uint8_t> data, State& state, Scan& found) {
  if (data.size() < 10) return damaged(Format::webp, "a broken header");
  state.has_canvas = true;
  found.stored.width_px = static_cast<int>(little24(data.subspan(4))) + 1;
  found.stored.height_px = static_cast<int>(little24(data.subspan(7))) + 1;
  found.stored.channels = (data[0] & 0x10U) != 0 ? 4 : 3;
  return {};
}

Status take_lossy(std::span<const uint8_t> data, State& state, Scan& found) {
  if (data.size() < 10 || !starts_with(data.subspan(3), "\x9d\x01\x2a"sv)) {
    return damaged(Format::webp, "a broken frame header");
  }
  state.has_bitstream = true;
  if (state.has_canvas) return {};
  found.stored.width_px = static_cast<int>(little16(data.subspan(6)) & 0x3fffU);
  found.stored.height_px = static_cast<int>(little16(data.subspan(8)) & 0x3fffU);
  found.stored.channels = 3;
  return {};
}

Status take_lossless(std::span<const uint8_t> data, State& state, Scan& found) {
  if (data.size() < 5 || data[0] != 0x2f) return damaged(Format::webp, "a broken frame header");
  state.has_bitstream = true;
  if (state.has_canvas) return {};
  const uint32_t bits = little32(data.subspan(1));
  found.stored.width_px = static_cast<int>(bits & 0x3fffU) + 1;
  found.stored.height_px = static_cast<int>(bits >> 14U & 0x3fffU) + 1;
  found.stored.channels = (bits >> 28U & 1U) != 0 ? 4 : 3;
  return {};
}

Status take_metadata(const ByteReader& file, const Chunk& chunk, Scan& found) {
  auto bytes = file.bytes_at(chunk.begin, chunk.length);
  if (!bytes) return damaged(Format::webp, "it ends early");
  if (chunk.name() == "XMP ") {
    found.xmp = std::move(*bytes);
    return {};
  }
  // Some writers keep the head that EXIF has in JPEG files.
  const size_t head = starts_with(as_u8(*bytes), "Exif\0\0"sv) ? 6 : 0;
  found.exif.assign(bytes->begin() + static_cast<ptrdiff_t>(head), bytes->end());
  return {};
}

Status take(const ByteReader& file, const Chunk& chunk, State& state, Scan& found) {
  const std::string_view name = chunk.name();
  if (name == "ANMF") ++state.frame_count;
  if (name == "ICCP") found.has_icc = true;
  if (name == "EXIF" || name == "XMP ") return take_metadata(file, chunk, found);
  std::array<uint8_t, 10> buffer = {};
  const auto data = std::span(buffer).first(std::min<size_t>(buffer.size(), chunk.length));
  if (!file.read_at(chunk.begin, data)) return damaged(Format::webp, "it ends early");
  if (name == "VP8X") return take_canvas(data, state, found);
  if (name == "VP8 ") return take_lossy(data, state, found);
  if (name == "VP8L") return take_lossless(data, state, found);
  return {};
}

}  // namespace

Result<Scan> scan_webp(const ByteReader& file) {
  Scan found;
  found.format = Format::webp;
  std::array<uint8_t, kRiffHeadBytes> head = {};
  if (!file.read_at(0, head)) return damaged(Format::webp, "it ends early");
  const uint64_t riff_end = uint64_t{8} + little32(std::span(head).subspan(4));
  if (riff_end > file.size_bytes()) return damaged(Format::webp, "it ends early");
  State state;
  for (uint64_t at = kRiffHeadBytes; at + 8 <= riff_end;) {
    Result<Chunk> chunk = chunk_at(file, at, riff_end);
    if (!chunk) return propagate(chunk);
    if (Status status = take(file, *chunk, state, found); !status) return propagate(status);
    at = chunk->end();
  }
  // Also with a single frame, which may cover a part of the canvas only and has a duration.
  if (state.frame_count > 0) {
    return unsupported("an animated WebP with " + std::to_string(state.frame_count) +
                           (state.frame_count == 1 ? " frame" : " frames"),
                       "save its frames as single pictures first");
  }
  if (!state.has_bitstream) return damaged(Format::webp, "it holds no picture");
  return found;
}

}  // namespace upres::image
