// Reading a packed planar f32 tensor by channel, row and column, for the references.
#pragma once

#include <algorithm>
#include <span>

#include "base/tensor.h"

namespace upres::kernels {

class Planes {
 public:
  explicit Planes(const Tensor& tensor) : extent_(tensor.extent), samples_(tensor.as<float>()) {}

  [[nodiscard]] const Extent& extent() const { return extent_; }
  // The sample, which must exist.
  [[nodiscard]] float at(int channel, int y, int x) const {
    const auto row =
        static_cast<size_t>(channel) * static_cast<size_t>(extent_.height_px) + static_cast<size_t>(y);
    return samples_[row * static_cast<size_t>(extent_.width_px) + static_cast<size_t>(x)];
  }
  // Zero outside.
  [[nodiscard]] float or_zero(int channel, int y, int x) const {
    const bool inside = y >= 0 && y < extent_.height_px && x >= 0 && x < extent_.width_px;
    return inside ? at(channel, y, x) : 0.0F;
  }
  // The nearest sample where there is none.
  [[nodiscard]] float replicated(int channel, int y, int x) const {
    return at(channel, std::clamp(y, 0, extent_.height_px - 1), std::clamp(x, 0, extent_.width_px - 1));
  }

 private:
  Extent extent_;
  std::span<const float> samples_;
};

}  // namespace upres::kernels
