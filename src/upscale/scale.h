// How much larger the result is to be, and the sizes that follow from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/tensor.h"

namespace upres::upscale {

inline constexpr double kMaxScale = 64;

// What was asked for: a factor for both axes, or a box that the result is to fit into with its aspect kept.
struct Scale {
  double factor = 2;  // not looked at when there is a box
  std::optional<Extent> box = {};
};

// "3", "2.5" or "1920x1080". Errors: usage, for anything but a number above 1 and up to kMaxScale, or two
// whole numbers.
Result<Scale> parse_scale(std::string_view text);

// "1280x720", each side 1 to 10,000,000. Errors: usage.
Result<Extent> parse_size(std::string_view text);

// The part of an output's name that tells the scale: "_x3", "_x2.5", "_1920x1080".
std::string scale_suffix(const Scale& scale);

// Size of the result for an input of this size. A factor rounds each axis to nearest, half up. A box is
// filled on the axis that limits; the other is rounded to nearest and at least 1. Errors: input, when the
// picture already has the size of the box or more, or the result is too large to address.
Result<Extent> output_extent(const Extent& input, const Scale& scale);

// Smallest whole factor by which a network must enlarge `input`: that of the scale rounded up, or so that the
// result holds `output` (see output_extent) on both axes.
int needed_factor(const Extent& input, const Extent& output, const Scale& scale);

}  // namespace upres::upscale
