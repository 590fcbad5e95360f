#include "upscale/api/request.h"

#include <fmt/format.h>

#include <limits>

#include "base/display_name.h"
#include "upscale/scale.h"

namespace upres {
namespace {

constexpr int kMaxInFlight = 64;

std::string text(const Extent& extent) { return fmt::format("{}x{}", extent.width_px, extent.height_px); }

Result<Extent> scaled(const Model& model, const Extent& input, double scale) {
  const double factor = scale == 0 ? model.factor() : scale;
  if (!(factor > 1) && factor != model.factor())
    return fail(ErrorCode::usage, fmt::format("scale {} is not above 1 (0 means the model's factor)", scale));
  if (factor > model.factor()) {
    return fail(ErrorCode::usage,
                fmt::format("scale {} is more than the {} that model {} does; ask for less, or "
                            "enlarge twice",
                            scale, model.factor(), display_name(model.name())));
  }
  return upscale::output_extent(input, {factor, std::nullopt});
}

}  // namespace

Status check_output_extent(const Model& model, const Extent& input, const Extent& output) {
  const auto fits = [&](int in, int out) { return out >= 1 && out <= int64_t{in} * model.factor(); };
  if (fits(input.width_px, output.width_px) && fits(input.height_px, output.height_px)) return {};
  return fail(ErrorCode::usage,
              fmt::format("a result of {} is not between 1x1 and {} times {}, which model {} does",
                          text(output), model.factor(), text(input), display_name(model.name())));
}

Result<Extent> requested_extent(const Model& model, const Extent& input, const UpscaleOptions& options) {
  if (input.width_px < 1 || input.height_px < 1)
    return fail(ErrorCode::usage, fmt::format("the input has {} pixels; both must be above 0", text(input)));
  if (!options.output_extent) return scaled(model, input, options.scale);
  if (options.scale != 0)
    return fail(ErrorCode::usage, "scale and output_extent exclude each other; give one");
  if (auto fits = check_output_extent(model, input, *options.output_extent); !fits) return propagate(fits);
  return *options.output_extent;
}

Status check_options(const UpscalerOptions& options) {
  if (options.tile_px < 0) {
    return fail(ErrorCode::usage,
                fmt::format("tile_px {} is negative; 0 lets memory and limits decide", options.tile_px));
  }
  if (options.pictures_in_flight < 1 || options.pictures_in_flight > kMaxInFlight) {
    return fail(ErrorCode::usage, fmt::format("pictures_in_flight {} is not between 1 and {}",
                                              options.pictures_in_flight, kMaxInFlight));
  }
  return {};
}

}  // namespace upres
