#include "upscale/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/display_name.h"

namespace upres::upscale {
namespace {

constexpr int kMaxSidePx = 10'000'000;

// The whole text as a number, or nothing.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string size_text(const Extent& extent) {
  return fmt::format("{}x{}", extent.width_px, extent.height_px);
}

// a * b / c to nearest, half up; all positive and below 2^31.
int64_t rounded_ratio(int64_t a, int64_t b, int64_t c) { return (2 * a * b + c) / (2 * c); }

Result<Extent> extent_in_box(const Extent& input, const Extent& box) {
  const int64_t width = input.width_px;
  const int64_t height = input.height_px;
  if (width >= box.width_px || height >= box.height_px) {
    return fail(
        ErrorCode::input,
        fmt::format("the picture is {}, not smaller than {}; upres only enlarges, ask for a larger size",
                    size_text(input), size_text(box)));
  }
  if (box.width_px * height <= box.height_px * width) {
    const int64_t fitted = rounded_ratio(height, box.width_px, width);
    return Extent{box.width_px, static_cast<int>(std::clamp<int64_t>(fitted, 1, box.height_px))};
  }
  const int64_t fitted = rounded_ratio(width, box.height_px, height);
  return Extent{static_cast<int>(std::clamp<int64_t>(fitted, 1, box.width_px)), box.height_px};
}

}  // namespace

Result<Extent> parse_size(std::string_view text) {
  const size_t cross = std::min(text.find('x'), text.size());
  const auto width = parse_number<int>(text.substr(0, cross));
  const auto height = parse_number<int>(text.substr(std::min(cross + 1, text.size())));
  const auto fits = [](const std::optional<int>& side) { return side && *side >= 1 && *side <= kMaxSidePx; };
  if (fits(width) && fits(height)) return Extent{*width, *height};
  return fail(ErrorCode::usage, fmt::format("'{}' is no size such as 1920x1080, with sides of 1 to {} pixels",
                                            display_name(text), kMaxSidePx));
}

Result<Scale> parse_scale(std::string_view text) {
  if (text.find('x') != std::string_view::npos) {
    const auto box = parse_size(text);
    if (!box) return tl::unexpected(box.error().in_context("scale"));
    return Scale{0, *box};
  }
  const auto factor = parse_number<double>(text);
  if (!factor || !(*factor > 1) || *factor > kMaxScale) {
    return fail(
        ErrorCode::usage,
        fmt::format("scale '{}' is neither a number above 1 and up to {} nor a size such as 1920x1080",
                    display_name(text), kMaxScale));
  }
  return Scale{*factor, std::nullopt};
}

std::string scale_suffix(const Scale& scale) {
  return scale.box ? fmt::format("_{}", size_text(*scale.box)) : fmt::format("_x{}", scale.factor);
}

Result<Extent> output_extent(const Extent& input, const Scale& scale) {
  if (scale.box) return extent_in_box(input, *scale.box);
  const double width = std::floor(input.width_px * scale.factor + 0.5);
  const double height = std::floor(input.height_px * scale.factor + 0.5);
  if (std::max(width, height) > std::numeric_limits<int>::max()) {
    return fail(ErrorCode::input, fmt::format("{} enlarged by this scale is too large", size_text(input)));
  }
  return Extent{static_cast<int>(width), static_cast<int>(height)};
}

int needed_factor(const Extent& input, const Extent& output, const Scale& scale) {
  if (!scale.box) return static_cast<int>(std::ceil(scale.factor));
  const auto whole = [](int in, int out) { return (out - 1) / in + 1; };
  return std::max(whole(input.width_px, output.width_px), whole(input.height_px, output.height_px));
}

}  // namespace upres::upscale
