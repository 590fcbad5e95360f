// TIFF structure: TIFF 6.0; BigTIFF as of libtiff; TIFF/EP and DNG for camera raw files.
#include <algorithm>
#include <array>

#include "image/scan.h"

namespace upres::image {
namespace {

using namespace std::string_view_literals;

enum Tag : uint32_t {
  kNewSubfileType = 254,
  kImageWidth = 256,
  kImageLength = 257,
  kBitsPerSample = 258,
  kPhotometric = 262,
  kStripOffsets = 273,
  kOrientation = 274,
  kSamplesPerPixel = 277,
  kStripByteCounts = 279,
  kXResolution = 282,
  kYResolution = 283,
  kResolutionUnit = 296,
  kTileOffsets = 324,
  kTileByteCounts = 325,
  kExtraSamples = 338,
  kSampleFormat = 339,
  kXmp = 700,
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

constexpr uint32_t kReducedImage = 1;       // NewSubfileType
constexpr uint32_t kUnassociatedAlpha = 2;  // ExtraSamples
constexpr uint32_t kAssociatedAlpha = 1;
constexpr uint32_t kMaxPages = 1000;
constexpr uint64_t kMaxValues = uint64_t{1} << 24U;

// Field types by number: bytes of one value, 0 for unknown.
constexpr std::array<uint8_t, 19> kTypeBytes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

struct Entry {
  uint32_t tag = 0;
  uint32_t type = 0;
  uint64_t count = 0;
  uint64_t at = 0;  // where its values lie
};

struct Directory {
  std::vector<Entry> entries;
  uint64_t next = 0;
};

// Reads integers and directories of one file in its byte order and offset width.
class Tiff {
 public:
  explicit Tiff(const ByteReader& file) : file_(file) {
    std::array<uint8_t, 4> head = {};
    if (!file.read_at(0, head)) return;
    is_big_endian_ = head[0] == 'M';
    is_big_tiff_ = head[is_big_endian_ ? 3 : 2] == 43;
  }

  [[nodiscard]] const ByteReader& file() const { return file_; }

  // An unsigned integer of 1, 2, 4 or 8 bytes.
  [[nodiscard]] std::optional<uint64_t> integer(uint64_t at, uint64_t length) const {
    std::array<uint8_t, 8> bytes = {};
    const auto used = std::span(bytes).first(std::min<size_t>(length, 8));
    if (!file_.read_at(at, used)) return std::nullopt;
    return decoded(used);
  }

  [[nodiscard]] std::optional<uint64_t> first_directory() const {
    return is_big_tiff_ ? integer(8, 8) : integer(4, 4);
  }

  [[nodiscard]] std::optional<Directory> directory(uint64_t at) const {
    const auto count = integer(at, is_big_tiff_ ? 8 : 2);
    if (!count || *count == 0 || *count > 65535) return std::nullopt;
    Directory directory;
    at += is_big_tiff_ ? 8 : 2;
    for (uint64_t i = 0; i < *count; ++i, at += is_big_tiff_ ? 20 : 12) {
      const auto found = entry(at);
      if (!found) return std::nullopt;
      directory.entries.push_back(*found);
    }
    const auto next = integer(at, word());
    if (!next) return std::nullopt;
    directory.next = *next;
    return directory;
  }

  // The integers of a tag (types BYTE, SHORT, LONG, LONG8); empty if it is absent; nothing if it is broken.
  [[nodiscard]] std::optional<std::vector<uint64_t>> integers(const Directory& directory, Tag tag) const {
    std::vector<uint64_t> values;
    const Entry* entry = find(directory, tag);
    if (entry == nullptr) return values;
    const uint64_t length = type_bytes(entry->type);
    const bool is_integer =
        entry->type == 1 || entry->type == 3 || entry->type == 4 || entry->type == 13 || entry->type == 16;
    if (!is_integer || entry->count > kMaxValues) return std::nullopt;
    const auto bytes = file_.bytes_at(entry->at, entry->count * length);
    if (!bytes) return std::nullopt;
    for (uint64_t i = 0; i < entry->count; ++i)
      values.push_back(decoded(as_u8(*bytes).subspan(i * length, length)));
    return values;
  }

  // The first integer of a tag, or what the specification says when it is absent.
  [[nodiscard]] uint64_t value(const Directory& directory, Tag tag, uint64_t otherwise) const {
    const auto values = integers(directory, tag);
    return values && !values->empty() ? values->front() : otherwise;
  }

  [[nodiscard]] std::optional<double> rational(const Directory& directory, Tag tag) const {
    const Entry* entry = find(directory, tag);
    if (entry == nullptr || entry->type != 5 || entry->count != 1) return std::nullopt;
    const auto above = integer(entry->at, 4);
    const auto below = integer(entry->at + 4, 4);
    if (!above || !below || *below == 0) return std::nullopt;
    return static_cast<double>(*above) / static_cast<double>(*below);
  }

  static const Entry* find(const Directory& directory, Tag tag) {
    for (const Entry& entry : directory.entries) {
      if (entry.tag == tag) return &entry;
    }
    return nullptr;
  }

  static uint64_t type_bytes(uint32_t type) { return type < kTypeBytes.size() ? kTypeBytes[type] : 0; }

 private:
  [[nodiscard]] uint64_t decoded(std::span<const uint8_t> bytes) const {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      value = value << 8U | bytes[is_big_endian_ ? i : bytes.size() - 1 - i];
    return value;
  }
  [[nodiscard]] uint64_t word() const { return is_big_tiff_ ? 8 : 4; }

  // Values that fit lie in the entry itself; others must lie inside the file.
  [[nodiscard]] std::optional<Entry> entry(uint64_t at) const {
    const auto tag = integer(at, 2);
    const auto type = integer(at + 2, 2);
    const auto count = integer(at + 4, word());
    const auto offset = integer(at + 4 + word(), word());
    if (!tag || !type || !count || !offset) return std::nullopt;
    Entry entry{static_cast<uint32_t>(*tag), static_cast<uint32_t>(*type), *count, *offset};
    const uint64_t length = type_bytes(entry.type);
    const bool is_inside = length == 0 || entry.count <= word() / length;
    if (is_inside) entry.at = at + 4 + word();
    const uint64_t size = file_.size_bytes();
    if (!is_inside && (entry.at > size || entry.count > (size - entry.at) / length)) return std::nullopt;
    return entry;
  }

  const ByteReader& file_;
  bool is_big_endian_ = false;
  bool is_big_tiff_ = false;
};

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

Status check_kind(const Tiff& tiff, const Directory& page) {
  const uint64_t photometric = tiff.value(page, kPhotometric, kMinIsBlack);
  if (Tiff::find(page, kDngVersion) != nullptr || photometric == kColorFilterArray ||
      photometric == kLinearRaw) {
    return unsupported("a camera raw file", "develop it to TIFF, PNG or JPEG first");
  }
  if (photometric > kRgb && photometric != kYCbCr) {
    return unsupported(std::string(photometric_name(photometric)) + " (TIFF)",
                       "convert it to grey or RGB first");
  }
  if ((tiff.value(page, kNewSubfileType, 0) & kReducedImage) != 0) {
    return unsupported("a TIFF file that begins with a reduced preview, as camera raw files do",
                       "develop or save it as a single picture first");
  }
  return {};
}

Status check_samples(const Tiff& tiff, const Directory& page, Scan& found) {
  const uint64_t bits = tiff.value(page, kBitsPerSample, 1);
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
  const uint64_t samples = tiff.value(page, kSamplesPerPixel, 1);
  const bool is_small = (bits == 1 || bits == 2 || bits == 4) && samples == 1;
  if (!is_even || !(is_small || bits == 8 || bits == 16)) {
    return unsupported("a TIFF file with " + (is_even ? std::to_string(bits) : "different") + "-bit samples",
                       "convert it to 8 or 16 bits first");
  }
  found.stored.dtype = bits == 16 ? DType::u16 : DType::u8;
  return {};
}

// How many channels, and whether what comes after the colours is a plain alpha channel.
Status check_channels(const Tiff& tiff, const Directory& page, Scan& found) {
  const uint64_t photometric = tiff.value(page, kPhotometric, kMinIsBlack);
  const uint64_t samples = tiff.value(page, kSamplesPerPixel, 1);
  const uint64_t colors = photometric == kRgb || photometric == kYCbCr ? 3 : 1;
  if (samples < colors) return damaged(Format::tiff, "too few channels");
  const uint64_t extra = samples - colors;
  const uint64_t meaning = tiff.value(page, kExtraSamples, 0);
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

Status check_size(const Tiff& tiff, const Directory& page, Scan& found) {
  const uint64_t width = tiff.value(page, kImageWidth, 0);
  const uint64_t height = tiff.value(page, kImageLength, 0);
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
Status check_data(const Tiff& tiff, const Directory& page) {
  const bool is_tiled = Tiff::find(page, kTileOffsets) != nullptr;
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

Status check_pages(const Tiff& tiff, const Directory& first) {
  uint64_t full_pages = 1;
  uint64_t next = first.next;
  for (uint32_t i = 0; next != 0; ++i) {
    const auto page = tiff.directory(next);
    if (!page || i == kMaxPages) return damaged(Format::tiff, "a broken list of pages");
    if ((tiff.value(*page, kNewSubfileType, 0) & kReducedImage) == 0) ++full_pages;
    next = page->next;
  }
  if (full_pages == 1) return {};
  return unsupported("a TIFF file with " + std::to_string(full_pages) + " pages",
                     "save its pages as single pictures first");
}

void take_metadata(const Tiff& tiff, const Directory& page, Scan& found) {
  const uint64_t orientation = tiff.value(page, kOrientation, 1);
  found.orientation = orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  found.has_icc = Tiff::find(page, kIcc) != nullptr;
  if (const Entry* xmp = Tiff::find(page, kXmp); xmp != nullptr && Tiff::type_bytes(xmp->type) == 1) {
    found.xmp = tiff.file().bytes_at(xmp->at, xmp->count).value_or(std::vector<std::byte>{});
  }
  if (Tiff::find(page, kExifIfd) != nullptr || Tiff::find(page, kGpsIfd) != nullptr)
    found.not_kept.emplace_back("EXIF (in TIFF)");
  if (Tiff::find(page, kIptc) != nullptr) found.not_kept.emplace_back("IPTC");
  if (Tiff::find(page, kPhotoshop) != nullptr) found.not_kept.emplace_back("Photoshop data");
  const uint64_t unit = tiff.value(page, kResolutionUnit, 2);
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
  const Tiff tiff(file);
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
