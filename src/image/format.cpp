#include "image/format.h"

#include <algorithm>
#include <array>
#include <string>

namespace upres::image {
namespace {

struct Extension {
  std::string_view text;
  Format format;
};
constexpr std::array kExtensions = {
    Extension{"jpg", Format::jpeg},  Extension{"jpeg", Format::jpeg}, Extension{"jpe", Format::jpeg},
    Extension{"png", Format::png},   Extension{"webp", Format::webp}, Extension{"tif", Format::tiff},
    Extension{"tiff", Format::tiff},
};

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

}  // namespace

std::string_view name(Format format) {
  switch (format) {
    case Format::jpeg:
      return "JPEG";
    case Format::png:
      return "PNG";
    case Format::webp:
      return "WebP";
    case Format::tiff:
      return "TIFF";
  }
  return "?";
}

std::string_view extension(Format format) {
  switch (format) {
    case Format::jpeg:
      return ".jpg";
    case Format::png:
      return ".png";
    case Format::webp:
      return ".webp";
    case Format::tiff:
      return ".tif";
  }
  return "";
}

std::optional<Format> format_from_name(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension.empty()) return std::nullopt;
  return format_from_text(std::string_view(extension).substr(1));
}

std::optional<Format> format_from_text(std::string_view text) {
  const std::string lower = lower_case(text);
  for (const Extension& known : kExtensions) {
    if (lower == known.text) return known.format;
  }
  return std::nullopt;
}

int max_side_px(Format format) {
  switch (format) {
    case Format::jpeg:
      return 65500;
    case Format::webp:
      return 16383;
    case Format::png:
    case Format::tiff:
      return 10000000;
  }
  return 0;
}

DType file_dtype(Format format, DType picture) {
  const bool holds_16_bits = format == Format::png || format == Format::tiff;
  return holds_16_bits ? picture : DType::u8;
}

Status can_write(const ImageShape& shape, Format format) {
  if (shape.dtype != DType::u8 && shape.dtype != DType::u16) {
    return fail(ErrorCode::input, "samples of type " + std::string(upres::name(shape.dtype)) +
                                      " cannot be written; convert to 8 or 16 bits first");
  }
  if (shape.width_px < 1 || shape.height_px < 1 || shape.channels < 1 || shape.channels > 4) {
    return fail(ErrorCode::input, "a picture of " + std::to_string(shape.width_px) + "x" +
                                      std::to_string(shape.height_px) + " with " +
                                      std::to_string(shape.channels) + " channels cannot be written");
  }
  if (format == Format::jpeg && shape.has_alpha()) {
    return fail(ErrorCode::input, "JPEG has no alpha channel; write PNG, WebP or TIFF");
  }
  const int limit_px = max_side_px(format);
  if (shape.width_px > limit_px || shape.height_px > limit_px) {
    const bool small_limit = format == Format::jpeg || format == Format::webp;
    return fail(ErrorCode::input, std::to_string(shape.width_px) + "x" + std::to_string(shape.height_px) +
                                      " is too large for " + std::string(name(format)) + " (at most " +
                                      std::to_string(limit_px) + " pixels a side); " +
                                      (small_limit ? "write PNG or TIFF" : "use a smaller scale"));
  }
  return {};
}

}  // namespace upres::image
