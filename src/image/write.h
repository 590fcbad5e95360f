// Picture files out: pixels and metadata to JPEG, PNG, WebP and TIFF.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/image.h"
#include "base/log.h"
#include "base/pending_file.h"
#include "image/format.h"

namespace upres::image {

struct EncodeOptions {
  int quality = 95;  // of JPEG and lossy WebP, 1..100; JPEG keeps full chroma resolution from 90 on
};

// The bytes of a picture file.
//
// JPEG: optimised Huffman tables. PNG: 8 or 16 bits, deflate level 6. WebP: lossy. TIFF: deflate with
// horizontal predictor, BigTIFF when 4 GiB might not do. u16 is rounded to 8 bits for JPEG and WebP, v * 255
// / 65535 to nearest, which the log tells (info); WebP, which has no grey, gets R = G = B (its decoders may
// show green one level lower).
//
// Metadata: the bytes of `metadata`, with EXIF's pixel dimensions set to the picture's. What the format or
// its encoder cannot hold is left out, with a warning in the log: EXIF in TIFF, blocks over the size limit of
// JPEG (EXIF and XMP 64 KiB), a colour profile that is not for this kind of picture (RGB profile, grey file),
// resolution in WebP.
//
// Errors input: as can_write(); not enough memory; the encoder's own. usage: quality out of range.
// Any thread, several at once.
Result<std::vector<std::byte>> encode(const ImageView& view, const Metadata& metadata, Format format,
                                      const EncodeOptions& options = {}, const Log& log = {});

// encode() to a file, which appears complete or not at all (see PendingFile).
// Error input, "cannot write photo.png: ...": as encode() and PendingFile.
Status write(const ImageView& view, const Metadata& metadata, Format format, const EncodeOptions& options,
             const std::filesystem::path& path, IfExists if_exists, const Log& log = {});

}  // namespace upres::image
