// TIFF structure: TIFF 6.0; BigTIFF as of libtiff; TIFF/EP and DNG for camera raw files.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

#include "image/scan.h"
#include "image/tiff_directory.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

enum Tag : uint32_t {
  kNewSubfileType = 254,
  kImageWidth = 256,
  kImageLength = 257,
  kBitsPerSample = 258,
  kPhotometric = 262,
  kImageDescription = 270,
  kMake = 271,
  kModel = 272,
  kStripOffsets = 273,
  kOrientation = 274,
  kSamplesPerPixel = 277,
  kStripByteCounts = 279,
  kXResolution = 282,
  kYResolution = 283,
  kResolutionUnit = 296,
  kDateTime = 306,
  kArtist = 315,
  kTileOffsets = 324,
  kTileByteCounts = 325,
  kExtraSamples = 338,
  kSampleFormat = 339,
  kXmp = 700,
  kCopyright = 33432,
  kIptc = 33723,
  kPhotoshop = 34377,
  kExifIfd = 34665,
  kIcc = 34675,
  kGpsIfd = 34853,
  kDngVersion = 50706,
};

enum Photometric : uint32_t {
  kMinIsWhite = 0,
  kMinIsBlack = 1,
  kRgb = 2,
  kPalette = 3,
  kMask = 4,
  kSeparated = 5,
  kYCbCr = 6,
  kCieLab = 8,
  kIccLab = 9,
  kItuLab = 10,
  kColorFilterArray = 32803,
  kLogL = 32844,
  kLogLuv = 32845,
  kLinearRaw = 34892,
};

constexpr uint64_t kReducedImage = 1;  // bits of NewSubfileType
constexpr uint64_t kMaskImage = 4;
constexpr uint32_t kUnassociatedAlpha = 2;  // ExtraSamples
constexpr uint32_t kAssociatedAlpha = 1;
constexpr size_t kMaxPages = 65535;

std::string_view photometric_name(uint64_t photometric) {
  switch (photometric) {
    case kPalette:
      return "a palette picture";
    case kMask:
      return "a transparency mask";
    case kSeparated:
      return "a CMYK picture";
    case kCieLab:
    case kIccLab:
    case kItuLab:
      return "a Lab picture";
    case kLogL:
    case kLogLuv:
      return "a high-dynamic-range picture (LogLuv)";
    default:
      return "a picture of an unknown colour kind";
  }
}

Status check_kind(const TiffReader& tiff, const TiffDirectory& page) {
  const uint64_t photometric = tiff.integer(page, kPhotometric, kMinIsBlack);
  if (page.find(kDngVersion) != nullptr || photometric == kColorFilterArray || photometric == kLinearRaw) {
    return unsupported("a camera raw file", "develop it to TIFF, PNG or JPEG first");
  }
  if (photometric > kRgb && photometric != kYCbCr) {
    return unsupported(std::string(photometric_name(photometric)) + " (TIFF)",
                       "convert it to grey or RGB first");
  }
  if ((tiff.integer(page, kNewSubfileType, 0) & kReducedImage) != 0) {
    return unsupported("a TIFF file that begins with a reduced preview, as camera raw files do",
                       "develop or save it as a single picture first");
  }
  return {};
}

Status check_samples(const TiffReader& tiff, const TiffDirectory& page, Scan& found) {
  const uint64_t bits = tiff.integer(page, kBitsPerSample, 1);
  const auto all_bits = tiff.integers(page, kBitsPerSample);
  const auto formats = tiff.integers(page, kSampleFormat);
  if (!all_bits || !formats) return damaged(Format::tiff, "a broken directory");
  const auto is_unsigned = [](uint64_t format) { return format == 1 || format == 4; };  // 4: not told
  if (!std::all_of(formats->begin(), formats->end(), is_unsigned)) {
    const bool is_float = std::find(formats->begin(), formats->end(), uint64_t{3}) != formats->end();
    return unsupported(
        std::string("a TIFF file with ") + (is_float ? "float" : "signed or complex") + " samples",
        "convert it to 8 or 16 bits unsigned first");
  }
  const bool is_even = std::all_of(all_bits->begin(), all_bits->end(), [&](uint64_t b) { return b == bits; });
  const uint64_t samples = tiff.integer(page, kSamplesPerPixel, 1);
  const bool is_small = (bits == 1 || bits == 2 || bits == 4) && samples == 1;
  if (!is_even || !(is_small || bits == 8 || bits == 16)) {
    return unsupported("a TIFF file with " + (is_even ? std::to_string(bits) : "different") + "-bit samples",
                       "convert it to 8 or 16 bits first");
  }
  found.stored.dtype = bits == 16 ? DType::u16 : DType::u8;
  return {};
}

// How many channels, and whether what comes after the colours is a plain alpha channel.
Status check_channels(const TiffReader& tiff, const TiffDirectory& page, Scan& found) {
  const uint64_t photometric = tiff.integer(page, kPhotometric, kMinIsBlack);
  const uint64_t samples = tiff.integer(page, kSamplesPerPixel, 1);
  const uint64_t colors = photometric == kRgb || photometric == kYCbCr ? 3 : 1;
  if (samples < colors) return damaged(Format::tiff, "too few channels");
  const uint64_t extra = samples - colors;
  const uint64_t meaning = tiff.integer(page, kExtraSamples, 0);
  if (extra > 1 || (extra == 1 && meaning != kUnassociatedAlpha && meaning != kAssociatedAlpha)) {
    return unsupported("a TIFF file with " + std::to_string(extra) + " extra channel" +
                           (extra > 1 ? "s" : "") + " not declared as alpha",
                       "remove what is not colour or alpha first");
  }
  if (extra == 1 && meaning == kAssociatedAlpha) {
    return unsupported("a TIFF file with premultiplied alpha", "convert it to unassociated alpha first");
  }
  found.stored.channels = static_cast<int>(samples);
  return {};
}

Status check_size(const TiffReader& tiff, const TiffDirectory& page, Scan& found) {
  const uint64_t width = tiff.integer(page, kImageWidth, 0);
  const uint64_t height = tiff.integer(page, kImageLength, 0);
  const auto limit = static_cast<uint64_t>(max_side_px(Format::tiff));
  if (width == 0 || height == 0) return damaged(Format::tiff, "it tells no size");
  if (width >= limit || height >= limit) {
    return fail(ErrorCode::input, "is too large: " + std::to_string(width) + "x" + std::to_string(height) +
                                      " pixels; less than " + std::to_string(limit) + " a side");
  }
  found.stored.width_px = static_cast<int>(width);
  found.stored.height_px = static_cast<int>(height);
  return {};
}

// Every strip or tile must lie inside the file.
Status check_data(const TiffReader& tiff, const TiffDirectory& page) {
  const bool is_tiled = page.find(kTileOffsets) != nullptr;
  const auto offsets = tiff.integers(page, is_tiled ? kTileOffsets : kStripOffsets);
  const auto lengths = tiff.integers(page, is_tiled ? kTileByteCounts : kStripByteCounts);
  if (!offsets || !lengths || offsets->empty()) return damaged(Format::tiff, "it holds no picture data");
  for (size_t i = 0; i < std::min(offsets->size(), lengths->size()); ++i) {
    const uint64_t size = tiff.file().size_bytes();
    if ((*offsets)[i] > size || (*lengths)[i] > size - (*offsets)[i])
      return damaged(Format::tiff, "it ends early");
  }
  return {};
}

// Previews and masks beside the picture do not count as pages.
Status check_pages(const TiffReader& tiff, const TiffDirectory& first) {
  uint64_t full_pages = 1;
  std::set<uint64_t> seen;
  for (uint64_t next = first.next; next != 0;) {
    const auto page = tiff.directory(next);
    if (!page || !seen.insert(next).second || seen.size() > kMaxPages) {
      return damaged(Format::tiff, "a broken list of pages");
    }
    if ((tiff.integer(*page, kNewSubfileType, 0) & (kReducedImage | kMaskImage)) == 0) ++full_pages;
    next = page->next;
  }
  if (full_pages == 1) return {};
  return unsupported("a TIFF file with " + std::to_string(full_pages) + " pages",
                     "save its pages as single pictures first");
}

bool has_any(const TiffDirectory& page, std::initializer_list<uint32_t> tags) {
  return std::any_of(tags.begin(), tags.end(), [&](uint32_t tag) { return page.find(tag) != nullptr; });
}

void take_metadata(const TiffReader& tiff, const TiffDirectory& page, Scan& found) {
  const uint64_t orientation = tiff.integer(page, kOrientation, 1);
  found.orientation = orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  found.has_icc = page.find(kIcc) != nullptr;
  if (const TiffEntry* xmp = page.find(kXmp); xmp != nullptr && (xmp->type == 1 || xmp->type == 7)) {
    found.xmp = tiff.file().bytes_at(xmp->at, xmp->count).value_or(std::vector<std::byte>{});
  }
  if (has_any(page, {kExifIfd, kGpsIfd, kImageDescription, kMake, kModel, kDateTime, kArtist, kCopyright}))
    found.not_kept.emplace_back("EXIF (in TIFF)");
  if (page.find(kIptc) != nullptr) found.not_kept.emplace_back("IPTC");
  if (page.find(kPhotoshop) != nullptr) found.not_kept.emplace_back("Photoshop data");
  const uint64_t unit = tiff.integer(page, kResolutionUnit, 2);
  const auto x = tiff.rational(page, kXResolution);
  const auto y = tiff.rational(page, kYResolution);
  if (!x || !y || *x <= 0 || *y <= 0 || (unit != 2 && unit != 3)) return;
  const double mm = unit == 2 ? 25.4 : 10.0;
  found.x_pixels_per_mm = *x / mm;
  found.y_pixels_per_mm = *y / mm;
}

Status check_not_raw(const ByteReader& file) {
  std::array<uint8_t, 2> mark = {};
  if (file.read_at(8, mark) && starts_with(mark, "CR"sv)) {
    return unsupported("a camera raw file (CR2)", "develop it to TIFF, PNG or JPEG first");
  }
  return {};
}

}  // namespace

Result<Scan> scan_tiff(const ByteReader& file) {
  Scan found;
  found.format = Format::tiff;
  if (Status status = check_not_raw(file); !status) return propagate(status);
  const TiffReader tiff(file);
  const auto at = tiff.first_directory();
  const auto page = at ? tiff.directory(*at) : std::nullopt;
  if (!page) return damaged(Format::tiff, "it has no directory, or ends early");
  if (Status status = check_kind(tiff, *page); !status) return propagate(status);
  if (Status status = check_samples(tiff, *page, found); !status) return propagate(status);
  if (Status status = check_channels(tiff, *page, found); !status) return propagate(status);
  if (Status status = check_size(tiff, *page, found); !status) return propagate(status);
  if (Status status = check_pages(tiff, *page); !status) return propagate(status);
  if (Status status = check_data(tiff, *page); !status) return propagate(status);
  take_metadata(tiff, *page, found);
  return found;
}

}  // namespace upres::image
