#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "image/embed.h"
#include "image/exif.h"
#include "image/vips_handle.h"
#include "image/write.h"

namespace upres::image {
namespace {

constexpr int kPngLevel = 6;
constexpr int kFullChromaQuality = 90;
constexpr double kUnknownPixelsPerMm = 72 / 25.4;              // TIFF must tell a resolution
constexpr uint64_t kClassicTiffBytes = uint64_t{4000} << 20U;  // some below 4 GiB, for what is not pixels

template <typename Sample>
Sample load(const std::byte* at) {
  Sample value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void round_row(std::span<const std::byte> row, std::byte* to) {
  for (size_t i = 0; i < row.size() / 2; ++i) {
    const uint32_t value = load<uint16_t>(row.data() + 2 * i);
    to[i] = static_cast<std::byte>((value * 255 + 32767) / 65535);
  }
}

// Tightly packed copy with samples of `dtype`, the view's own or u8.
Image packed(const ImageView& view, DType dtype) {
  Image image{view.shape, {}};
  image.shape.dtype = dtype;
  const size_t row_bytes = image.shape.row_bytes();
  image.bytes.resize(row_bytes * static_cast<size_t>(view.shape.height_px));
  for (int y = 0; y < view.shape.height_px; ++y) {
    const auto row = view.row(y);
    std::byte* to = image.bytes.data() + static_cast<size_t>(y) * row_bytes;
    if (dtype == view.shape.dtype) {
      std::copy(row.begin(), row.end(), to);
    } else {
      round_row(row, to);
    }
  }
  return image;
}

// 8-bit grey, with or without alpha, to R = G = B.
Image grey_to_rgb(const Image& grey) {
  Image rgb{grey.shape, {}};
  const auto channels = static_cast<size_t>(grey.shape.channels);
  rgb.shape.channels += 2;
  const size_t pixels = grey.bytes.size() / channels;
  rgb.bytes.reserve(pixels * (channels + 2));
  for (size_t i = 0; i < pixels; ++i) {
    rgb.bytes.insert(rgb.bytes.end(), 3, grey.bytes[i * channels]);
    if (channels == 2) rgb.bytes.push_back(grey.bytes[i * channels + 1]);
  }
  return rgb;
}

Image prepared(const ImageView& view, Format format, const Log& log) {
  const DType dtype = file_dtype(format, view.shape.dtype);
  if (dtype != view.shape.dtype) {
    log.info(std::string(name(format)) + " holds 8 bits: 16-bit samples are rounded");
  }
  Image image = packed(view, dtype);
  return format == Format::webp && image.shape.color_channels() == 1 ? grey_to_rgb(image) : image;
}

// The colour space of a profile's data, ICC.1:2022 table 15 and 19, must be the file's, or viewers go wrong.
bool fits(std::span<const std::byte> icc, const ImageShape& shape) {
  constexpr size_t kSpaceAt = 16;
  if (icc.size() < kSpaceAt + 4) return false;
  return starts_with(as_u8(icc).subspan(kSpaceAt), shape.color_channels() == 1 ? "GRAY" : "RGB ");
}

// The metadata that goes into this file, in the form of this file.
Metadata adapted(const Metadata& metadata, const ImageShape& shape, Format format, const Log& log) {
  Metadata result = metadata;
  set_exif_size(result.exif, shape.width_px, shape.height_px);
  if (!result.icc.empty() && !fits(result.icc, shape)) {
    log.warning("the colour profile is not for " + std::string(shape.color_channels() == 1 ? "grey" : "RGB") +
                " pictures: left out");
    result.icc.clear();
  }
  if (format == Format::tiff && !result.exif.empty()) log.warning("EXIF cannot be kept in TIFF: left out");
  return result;
}

VipsInterpretation interpretation(const ImageShape& shape) {
  const bool is_deep = shape.dtype == DType::u16;
  if (shape.color_channels() == 1) return is_deep ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
  return is_deep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB;
}

void set_blob(VipsImage* image, const char* field, std::span<const std::byte> bytes) {
  if (!bytes.empty()) vips_image_set_blob_copy(image, field, bytes.data(), bytes.size());
}

// A libvips image on the pixels of `image`, which must outlive it.
VipsImagePtr wrapped(const Image& image, const Metadata& metadata) {
  const VipsBandFormat samples = image.shape.dtype == DType::u16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR;
  const VipsImagePtr raw(vips_image_new_from_memory(image.bytes.data(), image.bytes.size(),
                                                    image.shape.width_px, image.shape.height_px,
                                                    image.shape.channels, samples));
  VipsImage* described = nullptr;
  if (!raw || vips_copy(raw.get(), &described, "interpretation", interpretation(image.shape), "xres",
                        metadata.x_pixels_per_mm.value_or(kUnknownPixelsPerMm), "yres",
                        metadata.y_pixels_per_mm.value_or(kUnknownPixelsPerMm), nullptr) != 0) {
    return nullptr;
  }
  return VipsImagePtr(described);
}

int save_tiff(VipsImage* image, const Image& pixels, const Metadata& metadata, void** buffer,
              size_t* length) {
  set_blob(image, VIPS_META_ICC_NAME, metadata.icc);
  set_blob(image, VIPS_META_XMP_NAME, metadata.xmp);
  const gboolean is_big = pixels.bytes.size() + metadata.icc.size() + metadata.xmp.size() > kClassicTiffBytes;
  return vips_tiffsave_buffer(image, buffer, length, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE,
                              "predictor", VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL, "bigtiff", is_big,
                              nullptr);
}

int save(VipsImage* image, const Image& pixels, const Metadata& metadata, Format format, int quality,
         void** buffer, size_t* length) {
  switch (format) {
    case Format::jpeg:
      return vips_jpegsave_buffer(
          image, buffer, length, "Q", quality, "optimize_coding", TRUE, "subsample_mode",
          quality >= kFullChromaQuality ? VIPS_FOREIGN_SUBSAMPLE_OFF : VIPS_FOREIGN_SUBSAMPLE_ON, "strip",
          TRUE, nullptr);
    case Format::png:
      return vips_pngsave_buffer(image, buffer, length, "compression", kPngLevel, "filter",
                                 VIPS_FOREIGN_PNG_FILTER_ALL, "strip", TRUE, nullptr);
    case Format::webp:
      return vips_webpsave_buffer(image, buffer, length, "Q", quality, "strip", TRUE, nullptr);
    case Format::tiff:
      return save_tiff(image, pixels, metadata, buffer, length);
  }
  return -1;
}

Result<Bytes> encoded(const Image& pixels, const Metadata& metadata, Format format, int quality,
                      const Log& log) {
  VipsWarnings warnings;
  void* buffer = nullptr;
  size_t length = 0;
  const VipsImagePtr image = wrapped(pixels, metadata);
  const int status = image ? save(image.get(), pixels, metadata, format, quality, &buffer, &length) : -1;
  const std::unique_ptr<void, GFree> owner(buffer);
  if (status != 0) {
    return fail(ErrorCode::input,
                "the " + std::string(name(format)) + " encoder failed: " + take_vips_error());
  }
  for (const std::string& warning : warnings.texts()) log.warning(warning);
  const auto* bytes = static_cast<const std::byte*>(buffer);
  return Bytes(bytes, bytes + length);
}

Result<Bytes> encode_checked(const ImageView& view, const Metadata& metadata, Format format, int quality,
                             const Log& log) {
  const Image pixels = prepared(view, format, log);
  const Metadata fitting = adapted(metadata, pixels.shape, format, log);
  Result<Bytes> file = encoded(pixels, fitting, format, quality, log);
  if (!file) return file;
  switch (format) {
    case Format::jpeg:
      return embed_jpeg(*file, fitting, log);
    case Format::png:
      return embed_png(*file, fitting, log);
    case Format::webp:
      return embed_webp(*file, fitting, pixels.shape, log);
    case Format::tiff:
      return file;
  }
  return file;
}

}  // namespace

Result<std::vector<std::byte>> encode(const ImageView& view, const Metadata& metadata, Format format,
                                      const EncodeOptions& options, const Log& log) {
  if (options.quality < 1 || options.quality > 100) {
    return fail(ErrorCode::usage, "quality " + std::to_string(options.quality) + " is not between 1 and 100");
  }
  if (Status status = can_write(view.shape, format); !status) return propagate(status);
  if (Status status = start_vips(); !status) return propagate(status);
  try {
    return encode_checked(view, metadata, format, options.quality, log);
  } catch (const std::exception&) {  // bad_alloc, length_error
    return fail(ErrorCode::input, "not enough memory to encode " + std::to_string(view.shape.width_px) + "x" +
                                      std::to_string(view.shape.height_px) + " pixels as " +
                                      std::string(name(format)));
  }
}

}  // namespace upres::image
