// Pictures and files made by the tests themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/image.h"
#include "base/log.h"
#include "image/format.h"
#include "support/files.h"

namespace upres::image::test {

using upres::test::Bytes;
using upres::test::bytes_of;
using upres::test::load;
using upres::test::store;
using upres::test::TemporaryFolder;

// Collects a log's lines.
struct LogLines {
  std::vector<std::string> warnings;
  std::vector<std::string> infos;
  Log log{[this](LogLevel level, std::string_view text) {
    (level == LogLevel::warning ? warnings : infos).emplace_back(text);
  }};
};

// Independent random samples: nothing that a codec could guess.
Image noise(const ImageShape& shape, uint32_t seed);
// Smooth ramps, which lossy codecs keep within a few levels.
Image ramp(const ImageShape& shape);

// encode() of a picture that is known to fit.
Bytes file_of(const Image& image, Format format, const Metadata& metadata = {});

// One sample as a number.
int sample(const Image& image, int x, int y, int channel);

// --- PNG, independent of libvips and libpng ---

struct PngChunk {
  std::string type;
  Bytes data;
};

struct PngSpec {
  int width = 0;
  int height = 0;
  int depth = 8;
  int color_type = 0;
  bool is_interlaced = false;
  std::vector<PngChunk> before_data;  // in this order after IHDR
  std::vector<PngChunk> after_data;
};

// A PNG whose raw samples (before any palette) are sample(x, y, channel) & (2^depth - 1).
using RawSample = int (*)(int x, int y, int channel);
Bytes make_png(const PngSpec& spec, RawSample raw);

void append_big(Bytes& to, uint64_t value, int length_bytes);
void append_little(Bytes& to, uint64_t value, int length_bytes);
void append(Bytes& to, std::span<const std::byte> bytes);

// --- TIFF, little-endian or big-endian, one directory per page ---

struct TiffTag {
  int tag;
  int type;  // 1 BYTE, 3 SHORT, 4 LONG
  std::vector<uint32_t> values;
};

struct TiffPage {
  std::vector<TiffTag> tags;  // ascending; strip offsets and byte counts are added
  Bytes data;                 // one strip
};

Bytes make_tiff(const std::vector<TiffPage>& pages, bool is_big_endian = false);
// The tags that every page needs.
TiffPage tiff_page(int width, int height, int photometric, const std::vector<uint32_t>& bits, Bytes data);

// --- EXIF ---

// IFD0 {Make, Orientation, ExifIFD}, Exif IFD {PixelXDimension, PixelYDimension, MakerNote}, IFD1 {a
// thumbnail tag}.
Bytes make_exif(int orientation, bool is_big_endian);

// An ICC profile that is good enough for carriers: header with size, space ("RGB " or "GRAY") and signature,
// and `padding` bytes. libpng checks exactly that much.
Bytes make_icc(std::string_view space, size_t padding);

}  // namespace upres::image::test
