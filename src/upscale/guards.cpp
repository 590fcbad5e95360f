#include "upscale/guards.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace upres::upscale {
namespace {

// Of 255: below this a network may well turn a picture into a plain one.
constexpr int kFlatLevels = 8;

template <typename Sample>
bool spans_more_than(const ImageView& picture, int limit) {
  const auto channels = static_cast<size_t>(picture.shape.channels);
  const auto colors = static_cast<size_t>(picture.shape.color_channels());
  int smallest = std::numeric_limits<Sample>::max();
  int largest = 0;
  for (int y = 0; y < picture.shape.height_px; ++y) {
    const auto row = picture.row(y);
    for (size_t at = 0; at < row.size() / sizeof(Sample); at += channels) {
      for (size_t c = 0; c < colors; ++c) {
        Sample value;
        std::memcpy(&value, row.data() + (at + c) * sizeof value, sizeof value);
        smallest = std::min<int>(smallest, value);
        largest = std::max<int>(largest, value);
      }
    }
    if (largest - smallest > limit) return true;
  }
  return false;
}

}  // namespace

bool is_flat(const ImageView& picture) {
  return picture.shape.dtype == DType::u16 ? !spans_more_than<uint16_t>(picture, kFlatLevels * 257)
                                           : !spans_more_than<uint8_t>(picture, kFlatLevels);
}

Status check_result(const kernels::Statistics& statistics, bool input_is_flat) {
  if (!statistics.finite()) {
    return fail(ErrorCode::device, "the result holds " + std::to_string(statistics.nan) + " NaN and " +
                                       std::to_string(statistics.infinite) + " infinite samples");
  }
  if (!input_is_flat && statistics.any_finite && statistics.smallest == statistics.largest) {
    return fail(ErrorCode::device, "the result is one flat colour although the picture is not");
  }
  return {};
}

}  // namespace upres::upscale
