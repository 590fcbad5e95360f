#include "image/scan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "image/exif.h"

namespace upres::image {
namespace {

constexpr size_t kHeadBytes = 512;

struct Signature {
  size_t offset;
  std::string_view bytes;
  std::string_view name;  // with its article
};
using namespace std::string_view_literals;

// Formats that upres does not read, to be named to the user. Camera raw files that begin like TIFF are told
// apart in scan_tiff().
constexpr std::array kOtherFormats = {
    Signature{0, "GIF8"sv, "a GIF"},
    Signature{0, "BM"sv, "a BMP"},
    Signature{4, "ftypavi"sv, "an AVIF"},
    Signature{4, "ftyphei"sv, "a HEIC"},
    Signature{4, "ftyphev"sv, "a HEIC"},
    Signature{4, "ftypmif1"sv, "a HEIF"},
    Signature{4, "ftypmsf1"sv, "a HEIF"},
    Signature{4, "ftypcrx"sv, "a camera raw (CR3)"},
    Signature{4, "ftyp"sv, "an MP4 video"},
    Signature{0, "\x00\x00\x00\x0cjP  "sv, "a JPEG 2000"},
    Signature{0, "\xff\x4f\xff\x51"sv, "a JPEG 2000"},
    Signature{0, "\xff\x0a"sv, "a JPEG XL"},
    Signature{0, "\x00\x00\x00\x0cJXL "sv, "a JPEG XL"},
    Signature{0, "%PDF"sv, "a PDF"},
    Signature{0, "%!PS"sv, "a PostScript"},
    Signature{0, "8BPS"sv, "a Photoshop"},
    Signature{0, "\x00\x00\x01\x00"sv, "an ICO"},
    Signature{0, "\x76\x2f\x31\x01"sv, "an OpenEXR"},
    Signature{0, "#?RADIANCE"sv, "a Radiance HDR"},
    Signature{0, "DDS "sv, "a DDS"},
    Signature{0, "qoif"sv, "a QOI"},
    Signature{0, "farbfeld"sv, "a farbfeld"},
    Signature{0, "gimp xcf"sv, "a GIMP XCF"},
    Signature{0, "SIMPLE  ="sv, "a FITS"},
    Signature{0, "FUJIFILMCCD-RAW"sv, "a camera raw (RAF)"},
    Signature{0, "IIRO"sv, "a camera raw (ORF)"},
    Signature{0, "IIU\0"sv, "a camera raw (RW2)"},
    Signature{0, "P1"sv, "a PNM"},
    Signature{0, "P2"sv, "a PNM"},
    Signature{0, "P3"sv, "a PNM"},
    Signature{0, "P4"sv, "a PNM"},
    Signature{0, "P5"sv, "a PNM"},
    Signature{0, "P6"sv, "a PNM"},
    Signature{0, "P7\n"sv, "a PAM"},
    Signature{0, "\x1a\x45\xdf\xa3"sv, "a Matroska or WebM video"},
    Signature{0, "\x8aMNG"sv, "an MNG"},
    Signature{0, "\x8bJNG"sv, "a JNG"},
    Signature{0, "PK\x03\x04"sv, "a ZIP"},
};

bool matches(std::span<const uint8_t> head, size_t offset, std::string_view bytes) {
  return head.size() >= offset && starts_with(head.subspan(offset), bytes);
}

std::optional<Format> format_of(std::span<const uint8_t> head) {
  if (starts_with(head, "\xff\xd8\xff")) return Format::jpeg;
  if (starts_with(head, "\x89PNG\r\n\x1a\n")) return Format::png;
  if (starts_with(head, "RIFF") && matches(head, 8, "WEBP")) return Format::webp;
  for (const std::string_view magic : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {
    if (starts_with(head, magic)) return Format::tiff;
  }
  return std::nullopt;
}

// Pnm, bmp and other short signatures could begin a text as well, but naming them helps more than it hurts.
std::string_view other_format(std::span<const uint8_t> head) {
  for (const Signature& signature : kOtherFormats) {
    if (matches(head, signature.offset, signature.bytes)) return signature.name;
  }
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.find("<svg") != std::string_view::npos) return "an SVG";
  return {};
}

constexpr std::string_view kReads = "upres reads JPEG, PNG, WebP and TIFF";

tl::unexpected<Error> not_one_of_ours(std::span<const uint8_t> head) {
  const std::string_view other = other_format(head);
  if (!other.empty()) return unsupported(std::string(other) + " file", std::string(kReads));
  return fail(ErrorCode::input, "is not a picture; " + std::string(kReads));
}

Result<Scan> scan_as(Format format, const ByteReader& file) {
  switch (format) {
    case Format::jpeg:
      return scan_jpeg(file);
    case Format::png:
      return scan_png(file);
    case Format::webp:
      return scan_webp(file);
    case Format::tiff:
      return scan_tiff(file);
  }
  return fail(ErrorCode::input, "is not a picture");
}

Status check_size(const Scan& found) {
  const ImageShape& shape = found.stored;
  if (shape.width_px >= 1 && shape.height_px >= 1) return {};
  return damaged(found.format,
                 "its size is " + std::to_string(shape.width_px) + "x" + std::to_string(shape.height_px));
}

}  // namespace

ImageShape Scan::upright() const {
  ImageShape shape = stored;
  if (orientation >= 5) std::swap(shape.width_px, shape.height_px);
  return shape;
}

tl::unexpected<Error> damaged(Format format, const std::string& why) {
  return fail(ErrorCode::input,
              "is a damaged " + std::string(name(format)) + " file (" + why + "); get an intact copy");
}

tl::unexpected<Error> unsupported(const std::string& what, const std::string& do_instead) {
  return fail(ErrorCode::input, "is " + what + "; " + do_instead);
}

Result<Scan> scan(const ByteReader& file) {
  if (file.size_bytes() == 0) return fail(ErrorCode::input, "is empty");
  std::array<uint8_t, kHeadBytes> buffer = {};
  const auto head = std::span(buffer).first(std::min<size_t>(kHeadBytes, file.size_bytes()));
  if (!file.read_at(0, head)) return fail(ErrorCode::input, "is unreadable");
  const std::optional<Format> format = format_of(head);
  if (!format) return not_one_of_ours(head);
  Result<Scan> found = scan_as(*format, file);
  if (!found) return found;
  if (Status status = check_size(*found); !status) return propagate(status);
  if (*format != Format::tiff) found->orientation = exif_orientation(found->exif);
  return found;
}

}  // namespace upres::image
