#include "upscale/api/files.h"

#ifdef UPRES_WITH_PICTURES
#include <chrono>
#include <system_error>

#include "base/display_name.h"
#include "base/pending_file.h"
#include "image/picture.h"
#include "image/write.h"
#include "upscale/api/request.h"
#include "upscale/api/samples.h"
#endif

namespace upres {

#ifdef UPRES_WITH_PICTURES

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

tl::unexpected<Error> wrong(const std::string& message) { return fail(ErrorCode::usage, message); }

// What was asked for by name, else what the name of the output says.
Result<image::Format> output_format(const fs::path& output, const FileOptions& options) {
  const auto by_name = image::format_from_name(output);
  if (options.format.empty()) {
    if (by_name) return *by_name;
    return wrong(display_name(output) +
                 " has no extension of a picture file; name one of .jpg, .png, .webp and .tif");
  }
  const auto asked = image::format_from_text(options.format);
  if (!asked) return wrong("format " + display_name(options.format) + " is none of jpeg, png, webp and tiff");
  if (by_name && *by_name != *asked) {
    return wrong(display_name(output) + " is the name of a " + std::string(image::name(*by_name)) +
                 " file, but the format asked for is " + std::string(image::name(*asked)) +
                 "; change one of them");
  }
  return *asked;
}

// Samples of the result: as many bits as the input has, and the format can hold.
Result<DType> output_dtype(const ImageShape& input, image::Format format, const FileOptions& options) {
  const DType dtype = options.upscale.output_dtype.value_or(image::file_dtype(format, input.dtype));
  if (dtype == DType::u8 || dtype == DType::u16) return dtype;
  return wrong("files hold 8 or 16 bits (u8, u16), not samples of type " + type_text(dtype));
}

Status check_not_the_input(const fs::path& input, const fs::path& output) {
  std::error_code ignored;
  if (!fs::equivalent(input, output, ignored)) return {};
  return fail(ErrorCode::input,
              display_name(output) + " is the input itself; choose another name for the output");
}

struct Enlarged {
  Image image;
  Extent input;
};

Result<Enlarged> enlarge(Engine& engine, const fs::path& input, image::Format format,
                         const FileOptions& options, Watch& watch, const Log& log) {
  auto picture = image::read(input, log);
  if (!picture) return propagate(picture);
  const ImageShape& shape = picture->image.shape;
  UpscaleOptions how;
  how.scale = options.upscale.scale;
  how.output_extent = options.upscale.output_extent;
  const auto dtype = output_dtype(shape, format, options);
  if (!dtype) return tl::unexpected(dtype.error());
  how.output_dtype = *dtype;
  const auto extent = requested_extent(engine.model(), {shape.width_px, shape.height_px}, how);
  if (!extent) return tl::unexpected(extent.error());
  auto can = image::can_write({extent->width_px, extent->height_px, shape.channels, *dtype}, format);
  if (!can) return propagate(can, display_name(input));
  auto result = engine.upscale(picture->image.view(), how, watch);
  if (!result) return propagate(result, display_name(input));
  result->metadata = std::move(picture->image.metadata);
  return Enlarged{std::move(*result), {shape.width_px, shape.height_px}};
}

}  // namespace

Result<FileReport> upscale_file(Engine& engine, const fs::path& input, const fs::path& output,
                                const FileOptions& options, Watch& watch, const Log& log) {
  const Clock::time_point begin = Clock::now();
  if (auto checked = check_path(input, "the input's name"); !checked) return propagate(checked);
  if (auto checked = check_path(output, "the output's name"); !checked) return propagate(checked);
  const auto format = output_format(output, options);
  if (!format) return tl::unexpected(format.error());
  if (options.quality < 1 || options.quality > 100)
    return fail(ErrorCode::usage, "quality " + std::to_string(options.quality) + " is not within 1 to 100");
  if (auto checked = check_not_the_input(input, output); !checked) return propagate(checked);
  // The file first: a name that cannot be written is found before any work.
  auto file = PendingFile::create(output, options.overwrite ? IfExists::replace : IfExists::fail);
  if (!file) return propagate(file);
  auto enlarged = enlarge(engine, input, *format, options, watch, log);
  if (!enlarged) return propagate(enlarged);
  const Image& result = enlarged->image;
  auto bytes = image::encode(result.view(), result.metadata, *format, {options.quality}, log);
  if (!bytes) return propagate(bytes, "cannot write " + display_name(output));
  if (auto appended = file->append(*bytes); !appended) return propagate(appended);
  if (watch.cancelled()) return tl::unexpected(watch.reason());
  if (auto committed = file->commit(); !committed) return propagate(committed);
  return FileReport{enlarged->input,
                    {result.shape.width_px, result.shape.height_px},
                    std::chrono::duration<double>(Clock::now() - begin).count()};
}

#else

Result<FileReport> upscale_file(Engine&, const std::filesystem::path&, const std::filesystem::path&,
                                const FileOptions&, Watch&, const Log&) {
  return fail(ErrorCode::usage,
              "this build of upres reads no picture files (UPRES_PICTURES=OFF); give it pixels");
}

#endif

}  // namespace upres
