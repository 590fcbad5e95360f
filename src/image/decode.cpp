#include "image/decode.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include "image/vips_handle.h"

namespace upres::image {
namespace {

constexpr int kStripRows = 256;

VipsImagePtr open_image(VipsSource* source, Format format) {
  VipsImage* image = nullptr;
  int status = -1;
  const auto load = [&](auto loader) {
    return loader(source, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED,
                  nullptr);
  };
  switch (format) {
    case Format::jpeg:
      status = load(vips_jpegload_source);
      break;
    case Format::png:
      status = load(vips_pngload_source);
      break;
    case Format::webp:
      status = load(vips_webpload_source);
      break;
    case Format::tiff:
      status = load(vips_tiffload_source);
      break;
  }
  return VipsImagePtr(status == 0 ? image : nullptr);
}

tl::unexpected<Error> decoder_error(Format format) {
  const std::string text = take_vips_error();
  return damaged(format, text.empty() ? "its data cannot be decoded" : text);
}

// The scan and the decoder must agree on what the picture is, or something would be lost or invented.
Status check_agreement(const VipsImage* image, const Scan& scan) {
  const VipsBandFormat samples = scan.stored.dtype == DType::u16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR;
  const bool agrees = image->Xsize == scan.stored.width_px && image->Ysize == scan.stored.height_px &&
                      image->Bands == scan.stored.channels && image->BandFmt == samples &&
                      image->Coding == VIPS_CODING_NONE;
  if (agrees) return {};
  return damaged(scan.format, "its header and its data disagree");
}

// Strip by strip, so that a file that ends early fails before all the memory of its claimed size is touched.
Status copy_pixels(VipsImage* image, const Scan& scan, std::vector<std::byte>& pixels) {
  const VipsRegionPtr region(vips_region_new(image));
  const size_t row_bytes = scan.stored.row_bytes();
  pixels.reserve(row_bytes * static_cast<size_t>(scan.stored.height_px));
  for (int top = 0; top < image->Ysize; top += kStripRows) {
    const int rows = std::min(kStripRows, image->Ysize - top);
    const VipsRect strip = {0, top, image->Xsize, rows};
    if (region == nullptr || vips_region_prepare(region.get(), &strip) != 0)
      return decoder_error(scan.format);
    for (int y = top; y < top + rows; ++y) {
      const auto* row = reinterpret_cast<const std::byte*>(VIPS_REGION_ADDR(region.get(), 0, y));
      pixels.insert(pixels.end(), row, row + row_bytes);
    }
  }
  return {};
}

std::vector<std::byte> blob(VipsImage* image, const char* name) {
  const void* data = nullptr;
  size_t length = 0;
  if (vips_image_get_typeof(image, name) == 0 || vips_image_get_blob(image, name, &data, &length) != 0)
    return {};
  const auto* bytes = static_cast<const std::byte*>(data);
  return {bytes, bytes + length};
}

// libjpeg calls most damage a warning and goes on with grey or shifted pixels. Filler bytes between segments
// are the one such case that is common in intact files. Only the first warning has a text; "read gave N
// warnings" counts.
bool is_harmless_in_jpeg(std::string_view warning) {
  return warning == "read gave 1 warnings" ||
         warning.find("extraneous bytes before marker") != std::string_view::npos ||
         warning.find("VipsJpeg") == std::string_view::npos;
}

Status check_warnings(const std::vector<std::string>& warnings, Format format) {
  if (format != Format::jpeg) return {};
  const bool is_counted = std::any_of(warnings.begin(), warnings.end(),
                                      [](const std::string& text) { return text.starts_with("read gave"); });
  if (!is_counted) return {};
  for (const std::string& warning : warnings) {
    if (!is_harmless_in_jpeg(warning)) return damaged(format, warning);
  }
  return {};
}

Result<Decoded> decode_with_vips(std::span<const std::byte> file, const Scan& scan) {
  Decoded result;
  VipsWarnings warnings;
  {
    const VipsSourcePtr source(vips_source_new_from_memory(file.data(), file.size()));
    const VipsImagePtr image = source ? open_image(source.get(), scan.format) : nullptr;
    if (!image) return decoder_error(scan.format);
    if (Status status = check_agreement(image.get(), scan); !status) return propagate(status);
    if (Status status = copy_pixels(image.get(), scan, result.pixels); !status) return propagate(status);
    result.icc = blob(image.get(), VIPS_META_ICC_NAME);
  }
  // Closing the image is what makes the JPEG decoder tell its warnings.
  if (Status status = check_warnings(warnings.texts(), scan.format); !status) return propagate(status);
  result.warnings = warnings.texts();
  return result;
}

}  // namespace

Result<Decoded> decode(std::span<const std::byte> file, const Scan& scan) {
  if (Status status = start_vips(); !status) return propagate(status);
  try {
    return decode_with_vips(file, scan);
  } catch (const std::exception&) {  // bad_alloc, length_error
    return fail(ErrorCode::input, "is too large: not enough memory for " +
                                      std::to_string(scan.stored.width_px) + "x" +
                                      std::to_string(scan.stored.height_px) + " pixels");
  }
}

}  // namespace upres::image
