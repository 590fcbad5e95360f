// The structure of a picture file, read without decoding pixels: what kind of picture it is, whether upres
// takes it, and the metadata beside the pixels. It is the gate in front of the decoders: only files that
// passed reach them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/image.h"
#include "image/byte_reader.h"
#include "image/format.h"

namespace upres::image {

struct Scan {
  Format format = Format::png;
  ImageShape stored;    // as the file's rows lie; orientation not yet applied
  int orientation = 1;  // of EXIF and TIFF, 1..8
  std::vector<std::byte> exif;
  std::vector<std::byte> xmp;
  bool has_icc = false;
  std::optional<double> x_pixels_per_mm;  // of the stored axes
  std::optional<double> y_pixels_per_mm;
  std::vector<std::string> not_kept;  // what a Picture cannot carry: "IPTC", ...
  std::vector<std::string> comments;  // the same, for texts that hardly anybody misses

  // The shape after the orientation is applied.
  [[nodiscard]] ImageShape upright() const;
};

// Finds the format and scans. Errors input without the file's name in front.
Result<Scan> scan(const ByteReader& file);

// The parts of scan(), one per format; the file is known to begin as that format does.
Result<Scan> scan_jpeg(const ByteReader& file);
Result<Scan> scan_png(const ByteReader& file);
Result<Scan> scan_webp(const ByteReader& file);
Result<Scan> scan_tiff(const ByteReader& file);

// Checks every chunk checksum of a PNG that scan_png() accepted; the decoder would overlook some.
Status check_png_checksums(std::span<const std::byte> file);

// The error of a file that ends too early or contradicts itself: "is a damaged JPEG file (WHY); ...".
tl::unexpected<Error> damaged(Format format, const std::string& why);
// The error of a kind of picture that upres does not take: "is WHAT; DO_INSTEAD".
tl::unexpected<Error> unsupported(const std::string& what, const std::string& do_instead);

}  // namespace upres::image
