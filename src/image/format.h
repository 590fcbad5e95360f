// The file formats that upres reads and writes, their names and what each can hold.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/image.h"

namespace upres::image {

enum class Format { jpeg, png, webp, tiff };

// "JPEG", "PNG", "WebP", "TIFF", for messages.
std::string_view name(Format format);

// The usual extension with its dot: ".jpg", ".png", ".webp", ".tif".
std::string_view extension(Format format);

// By the extension of a file name, in upper or lower case: jpg jpeg jpe png webp tif tiff. Nothing for any
// other.
std::optional<Format> format_from_name(const std::filesystem::path& path);

// By what a user wrote as a format: the extensions above without their dot, in upper or lower case.
std::optional<Format> format_from_text(std::string_view text);

// Largest width or height that files of this format can have, in pixels. JPEG: 65500 (what libjpeg encodes;
// the format would allow 65535); WebP: 16383; PNG and TIFF: 10000000 (libvips).
int max_side_px(Format format);

// The samples of files of this format for a picture of u8 or u16: as many bits, or the 8 that JPEG and WebP
// hold.
DType file_dtype(Format format, DType picture);

// Whether a picture of this shape can be written in this format; meant to be asked before any work is done.
// 16-bit samples are no obstacle for JPEG and WebP: encode() rounds them to 8 bits and says so. Error input,
// with what to do instead: alpha in JPEG, a side over max_side_px(), f32 samples.
Status can_write(const ImageShape& shape, Format format);

}  // namespace upres::image
