// The few things that must change in an EXIF block when its picture is turned or enlarged, changed in place,
// so that everything else, maker notes included, stays byte for byte (Exif 2.32, TIFF 6.0 section 2).
//
// Blocks begin with their TIFF header. Blocks that cannot be understood are left alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace upres::image {

// Orientation tag (0x0112) of the picture, 1..8; 1 if there is none or it is out of range.
int exif_orientation(std::span<const std::byte> exif);

// Sets the orientation tag, where there is one, to 1.
void reset_exif_orientation(std::span<std::byte> exif);

// Unlinks the thumbnail (IFD1).
void unlink_exif_thumbnail(std::span<std::byte> exif);

// Sets the tags that repeat the picture's size (ImageWidth, ImageLength, PixelXDimension, PixelYDimension),
// where they are there and wide enough for the values.
void set_exif_size(std::span<std::byte> exif, int width_px, int height_px);

// Resolution tags (XResolution, YResolution, ResolutionUnit inch or cm) in pixels per mm.
struct ExifResolution {
  double x_pixels_per_mm;
  double y_pixels_per_mm;
};
std::optional<ExifResolution> exif_resolution(std::span<const std::byte> exif);

}  // namespace upres::image
