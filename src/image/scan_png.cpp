// PNG structure: PNG specification, third edition (chunks, APNG, eXIf, cICP); XMP part 3, section 1.1.5.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "image/scan.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kSignatureBytes = 8;
constexpr uint64_t kChunkFrameBytes = 12;  // length, type, checksum
constexpr uint64_t kMaxTextBytes = uint64_t{64} << 20U;

struct Chunk {
  std::array<char, 4> type = {};
  uint64_t begin = 0;  // of the data
  uint32_t length = 0;
  [[nodiscard]] std::string_view name() const { return {type.data(), type.size()}; }
  [[nodiscard]] uint64_t end() const { return begin + length + 4; }
};

Result<Chunk> chunk_at(const ByteReader& file, uint64_t at) {
  std::array<uint8_t, 8> head = {};
  if (!file.read_at(at, head)) return damaged(Format::png, "it ends early");
  Chunk chunk{{}, at + 8, big32(head)};
  std::copy_n(head.begin() + 4, 4, chunk.type.begin());
  const bool has_letters = std::all_of(chunk.type.begin(), chunk.type.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
  if (!has_letters) return damaged(Format::png, "a broken chunk");
  if (chunk.length > 0x7fffffffU) return damaged(Format::png, "a broken chunk");
  if (chunk.end() > file.size_bytes()) return damaged(Format::png, "it ends early");
  return chunk;
}

enum ColorType : uint32_t { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgbAlpha = 6 };

struct Header {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t depth = 0;
  uint32_t color_type = 0;

  [[nodiscard]] uint64_t samples_per_pixel() const {
    switch (color_type) {
      case kGreyAlpha:
        return 2;
      case kRgb:
        return 3;
      case kRgbAlpha:
        return 4;
      default:
        return 1;
    }
  }
};

bool is_legal(const Header& header) {
  const uint32_t depth = header.depth;
  switch (header.color_type) {
    case kGrey:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case kPalette:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case kRgb:
    case kGreyAlpha:
    case kRgbAlpha:
      return depth == 8 || depth == 16;
    default:
      return false;
  }
}

// Everything that the chunks tell, before the rules are applied.
struct State {
  Header header;
  bool has_transparency = false;
  bool has_animation = false;
  bool has_srgb = false;
  bool seen_data = false;
  uint64_t data_bytes = 0;
  double gamma = 0;
};

Status take_header(std::span<const uint8_t> data, State& state) {
  if (data.size() != 13) return damaged(Format::png, "a broken header");
  state.header = {big32(data), big32(data.subspan(4)), data[8], data[9]};
  const uint32_t limit = static_cast<uint32_t>(max_side_px(Format::png));
  if (!is_legal(state.header)) return damaged(Format::png, "no such colour type and bit depth");
  if (state.header.width > limit || state.header.height > limit) {
    return fail(ErrorCode::input, "is too large: " + std::to_string(state.header.width) + "x" +
                                      std::to_string(state.header.height) + " pixels; at most " +
                                      std::to_string(limit) + " a side");
  }
  return {};
}

// Inflates a zlib stream of unknown length; nothing if it is broken or unreasonably long.
std::optional<std::vector<std::byte>> inflate_all(std::span<const uint8_t> packed) {
  for (uint64_t size = packed.size() * 4 + 1024; size <= kMaxTextBytes; size *= 4) {
    std::vector<std::byte> text(size);
    uLongf length = size;
    const int status =
        uncompress(reinterpret_cast<Bytef*>(text.data()), &length, packed.data(), packed.size());
    if (status == Z_BUF_ERROR) continue;
    if (status != Z_OK) return std::nullopt;
    text.resize(length);
    return text;
  }
  return std::nullopt;
}

// iTXt: keyword 0 compressed method language 0 translated keyword 0 text.
void take_international_text(std::span<const uint8_t> data, Scan& found) {
  constexpr std::string_view kXmpKeyword = "XML:com.adobe.xmp\0"sv;
  if (!starts_with(data, kXmpKeyword)) {
    found.comments.emplace_back("text");
    return;
  }
  auto rest = data.subspan(kXmpKeyword.size());
  if (rest.size() < 2 || !found.xmp.empty()) return;
  const bool is_compressed = rest[0] == 1;
  rest = rest.subspan(2);
  for (int i = 0; i < 2; ++i) {
    const auto end = std::find(rest.begin(), rest.end(), uint8_t{0});
    if (end == rest.end()) return;
    rest = rest.subspan(static_cast<size_t>(end - rest.begin()) + 1);
  }
  if (is_compressed) {
    found.xmp = inflate_all(rest).value_or(std::vector<std::byte>{});
    if (found.xmp.empty()) found.not_kept.emplace_back("XMP (damaged)");
  } else {
    const auto text = std::as_bytes(rest);
    found.xmp.assign(text.begin(), text.end());
  }
}

void take_resolution(std::span<const uint8_t> data, Scan& found) {
  if (data.size() != 9 || data[8] != 1 || big32(data) == 0 || big32(data.subspan(4)) == 0) return;
  found.x_pixels_per_mm = big32(data) / 1000.0;
  found.y_pixels_per_mm = big32(data.subspan(4)) / 1000.0;
}

bool is_interesting(std::string_view name) {
  constexpr std::array kNames = {"IHDR"sv, "acTL"sv, "eXIf"sv, "iTXt"sv, "pHYs"sv, "gAMA"sv};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Status take_data(std::string_view name, const std::vector<std::byte>& bytes, State& state, Scan& found) {
  const auto data = as_u8(bytes);
  if (name == "IHDR") return take_header(data, state);
  if (name == "acTL" && data.size() >= 4) state.has_animation = big32(data) > 1;
  if (name == "eXIf" && found.exif.empty()) found.exif = bytes;
  if (name == "iTXt") take_international_text(data, found);
  if (name == "pHYs") take_resolution(data, found);
  if (name == "gAMA" && data.size() == 4) state.gamma = big32(data) / 100000.0;
  return {};
}

Status take(const ByteReader& file, const Chunk& chunk, State& state, Scan& found) {
  const std::string_view name = chunk.name();
  if (name == "IDAT") {
    state.seen_data = true;
    state.data_bytes += chunk.length;
  }
  if (name == "tRNS" && !state.seen_data) state.has_transparency = true;
  if (name == "iCCP" && !state.seen_data) found.has_icc = true;
  if (name == "sRGB") state.has_srgb = true;
  if (name == "cICP" || name == "mDCV" || name == "cLLI")
    found.not_kept.emplace_back("colour coding (" + std::string(name) + ")");
  if (name == "tEXt" || name == "zTXt") found.comments.emplace_back("text");
  if (!is_interesting(name)) return {};
  const auto bytes = file.bytes_at(chunk.begin, chunk.length);
  if (!bytes) return damaged(Format::png, "it ends early");
  return take_data(name, *bytes, state, found);
}

// Deflate cannot pack more than 1032 bytes into one, so a header that promises more than that is wrong.
// Checked before any memory is taken for the pixels.
Status check_data(const State& state) {
  if (!state.seen_data) return damaged(Format::png, "it holds no picture data");
  const Header& header = state.header;
  const double row_bytes =
      std::ceil(static_cast<double>(header.width * header.samples_per_pixel() * header.depth) / 8) + 1;
  if (row_bytes * header.height <= 1032.0 * static_cast<double>(state.data_bytes)) return {};
  return damaged(Format::png, "too little data for its size");
}

void set_shape(const State& state, Scan& found) {
  const Header& header = state.header;
  const bool is_grey = header.color_type == kGrey || header.color_type == kGreyAlpha;
  const bool has_alpha =
      header.color_type == kGreyAlpha || header.color_type == kRgbAlpha || state.has_transparency;
  found.stored = {static_cast<int>(header.width), static_cast<int>(header.height),
                  (is_grey ? 1 : 3) + (has_alpha ? 1 : 0), header.depth == 16 ? DType::u16 : DType::u8};
}

// 0.45455 is what sRGB files say; a profile or sRGB chunk overrides gAMA.
void note_gamma(const State& state, Scan& found) {
  if (state.gamma == 0 || state.has_srgb || found.has_icc || std::abs(state.gamma - 0.45455) < 0.005) return;
  found.not_kept.emplace_back("gAMA " + std::to_string(state.gamma).substr(0, 5));
}

}  // namespace

Result<Scan> scan_png(const ByteReader& file) {
  Scan found;
  found.format = Format::png;
  State state;
  for (uint64_t at = kSignatureBytes;;) {
    Result<Chunk> chunk = chunk_at(file, at);
    if (!chunk) return propagate(chunk);
    const bool is_first = at == kSignatureBytes;
    if (is_first != (chunk->name() == "IHDR")) return damaged(Format::png, "its header is not in front");
    if (chunk->name() == "IEND") break;
    if (Status status = take(file, *chunk, state, found); !status) return propagate(status);
    at = chunk->end();
  }
  if (state.has_animation) return unsupported("an animated PNG", "save its frames as single pictures first");
  if (Status status = check_data(state); !status) return propagate(status);
  set_shape(state, found);
  note_gamma(state, found);
  return found;
}

Status check_png_checksums(std::span<const std::byte> file) {
  const MemoryReader reader(file);
  for (uint64_t at = kSignatureBytes;;) {
    Result<Chunk> chunk = chunk_at(reader, at);
    if (!chunk) return propagate(chunk);
    const auto covered = as_u8(file.subspan(at + 4, chunk->length + size_t{4}));
    const auto stored = as_u8(file.subspan(at + 8 + chunk->length, 4));
    if (crc32_z(0, covered.data(), covered.size()) != big32(stored)) {
      return damaged(Format::png, "wrong checksum of its " + std::string(chunk->name()) + " chunk");
    }
    if (chunk->name() == "IEND") return {};
    at += kChunkFrameBytes + chunk->length;
  }
}

}  // namespace upres::image
