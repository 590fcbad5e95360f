// Puts metadata into encoded files, byte for byte. libvips would rebuild EXIF, which loses maker notes and
// tags that it does not know, and makes one up where there is none; so it encodes bare pixels and the blocks
// are added here.
#pragma once

#include "base/error.h"
#include "base/image.h"
#include "base/log.h"
#include "image/byte_reader.h"

namespace upres::image {

// Each takes a complete file of its format, whose metadata, if any, is replaced, and the metadata to put in
// (none, in part or all empty). What does not fit is left out with a warning. Any thread.
Bytes embed_jpeg(const Bytes& file, const Metadata& metadata, const Log& log);
Bytes embed_png(const Bytes& file, const Metadata& metadata, const Log& log);
// `shape` is the picture's, for the extended header that WebP needs as soon as there is metadata.
Bytes embed_webp(const Bytes& file, const Metadata& metadata, const ImageShape& shape, const Log& log);

}  // namespace upres::image
