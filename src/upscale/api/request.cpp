#include "upscale/api/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/display_name.h"
#include "upscale/precision.h"
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

// The network's own result must be addressable, whatever is made of it.
Status check_input_extent(const Model& model, const Extent& input) {
  if (input.width_px < 1 || input.height_px < 1)
    return fail(ErrorCode::usage, fmt::format("the input has {} pixels; both must be above 0", text(input)));
  constexpr int kLargestSide = std::numeric_limits<int>::max();
  if (std::max(input.width_px, input.height_px) <= kLargestSide / model.factor()) return {};
  return fail(ErrorCode::usage,
              fmt::format("an input of {} is too large: {} times a side is more than {} pixels", text(input),
                          model.factor(), kLargestSide));
}

}  // namespace

Status check_output_extent(const Model& model, const Extent& input, const Extent& output) {
  if (auto checked = check_input_extent(model, input); !checked) return checked;
  const auto fits = [&](int in, int out) { return out >= 1 && out <= int64_t{in} * model.factor(); };
  if (fits(input.width_px, output.width_px) && fits(input.height_px, output.height_px)) return {};
  return fail(ErrorCode::usage,
              fmt::format("a result of {} is not between 1x1 and {} times {}, which model {} does",
                          text(output), model.factor(), text(input), display_name(model.name())));
}

Result<Extent> requested_extent(const Model& model, const Extent& input, const UpscaleOptions& options) {
  if (auto checked = check_input_extent(model, input); !checked) return propagate(checked);
  if (!options.output_extent) return scaled(model, input, options.scale);
  if (options.scale != 0)
    return fail(ErrorCode::usage, "scale and output_extent exclude each other; give one");
  if (auto fits = check_output_extent(model, input, *options.output_extent); !fits) return propagate(fits);
  return *options.output_extent;
}

Status check_name(std::string_view name, std::string_view what) {
  if (!name.empty()) return {};
  return fail(ErrorCode::usage, fmt::format("{} is empty", what));
}

Status check_path(const std::filesystem::path& path, std::string_view what) {
  if (path.native().find('\0') == std::string::npos) return check_name(path.native(), what);
  return fail(ErrorCode::usage,
              fmt::format("{} {} holds a NUL byte, which no file name can", what, display_name(path)));
}

Status check_options(const UpscalerOptions& options) {
  if (upscale::name(options.precision) == "?") {
    return fail(ErrorCode::usage,
                fmt::format("there is no precision {} (Precision)", static_cast<int>(options.precision)));
  }
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
