// Picture files in: JPEG, PNG, WebP and TIFF to pixels and metadata.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/image.h"
#include "base/log.h"
#include "image/format.h"

namespace upres::image {

// A decoded picture and the format of the file that it came from.
//
// image.shape.dtype is u8 or u16; 16-bit files stay u16, fewer than 8 bits are expanded to the whole range.
// Grey stays grey (1 channel, with alpha 2); palettes of PNG become RGB and transparency chunks become alpha.
// Pixels are upright: the orientation of the file is applied, and reset to 1 where the metadata repeats it.
// Pixel values are those of the file: no colour conversion, and gAMA is not applied.
//
// image.metadata: exif begins with its TIFF header ("II*" or "MM*"; no "Exif" prefix). When the pixels were
// turned, its thumbnail, which would now lie on its side, is unlinked. icc and xmp are the bytes of the file,
// but for tiff:Orientation in xmp. Resolution is absent when the file tells none, and its axes follow the
// orientation.
struct Picture {
  Image image;
  Format format = Format::png;
};

// What a file holds: the shape that read() would give, and its format.
struct PictureInfo {
  ImageShape shape;
  Format format = Format::png;
};

// Looks at a file's structure without decoding pixels: a few small reads. It refuses by name whatever read()
// refuses for its kind; damage inside the pixel data it does not see. Errors as read(). Any thread.
Result<PictureInfo> probe(const std::filesystem::path& path);
Result<PictureInfo> probe(std::span<const std::byte> file, std::string_view label);

// Reads a whole picture file. The name may hold any bytes; pipes work. The second form reads a file in
// memory, `label` names it in messages.
//
// Log: a warning for everything the file carries that a Picture cannot (IPTC, further pictures of an MPF
// file, gAMA, ...) and for oddities that the decoder reports; comments go to info.
//
// Error input, "cannot read photo.png: ...": cannot be opened or read; empty; not a picture; another format
// (named); CMYK, Lab, palette TIFF, premultiplied or undeclared extra channels, samples that are not 8 or 16
// bits unsigned, animations, several pages, camera raw files (each named); truncated or damaged, including
// wrong checksums; more pixels than the machine's memory holds. Any thread, several at once.
Result<Picture> read(const std::filesystem::path& path, const Log& log = {});
Result<Picture> read(std::span<const std::byte> file, std::string_view label, const Log& log = {});

// Number of threads that coding may use, for the whole process, at least 1.
void set_threads(int count);

}  // namespace upres::image
