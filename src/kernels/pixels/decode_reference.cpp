#include "kernels/pixels/decode_reference.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/pixels/color.h"
#include "kernels/pixels/depth_to_space_reference.h"
#include "kernels/pixels/store_reference.h"
#include "kernels/planes.h"
#include "kernels/resize/side_filter.h"

namespace upres::kernels {

namespace {

float bicubic(const Planes& side, int channel, const SidePosition& y, const SidePosition& x) {
  const auto weights_x = bicubic_weights(x.fraction);
  const auto weights_y = bicubic_weights(y.fraction);
  float sum = 0;
  for (int j = 0; j < 4; ++j) {
    float row = 0;
    for (int i = 0; i < 4; ++i) {
      row = std::fma(weights_x[static_cast<size_t>(i)],
                     side.replicated(channel, y.base - 1 + j, x.base - 1 + i), row);
    }
    sum = std::fma(weights_y[static_cast<size_t>(j)], row, sum);
  }
  return sum;
}

float bilinear(const Planes& side, int channel, const SidePosition& y, const SidePosition& x) {
  const auto row = [&](int at) {
    const float left = side.replicated(channel, at, x.base);
    return std::fma(x.fraction, side.replicated(channel, at, x.base + 1) - left, left);
  };
  const float top = row(y.base);
  return std::fma(y.fraction, row(y.base + 1) - top, top);
}

void note(StatisticsWords& statistics, float sample) {
  if (std::isnan(sample)) {
    ++statistics[0];
  } else if (std::isinf(sample)) {
    ++statistics[1];
  } else {
    statistics[2] = std::max(statistics[2], ordered_bits(sample));
    statistics[3] = std::max(statistics[3], ~ordered_bits(sample));
  }
}

// One picture's decoding; pixel(y, x) gives its channels in the picture's order.
class Decoder {
 public:
  Decoder(const graph::Decode& decode, const Tensor& features, const Tensor* side, int channels)
      : decode_(decode), features_(features), channels_(channels) {
    if (side != nullptr) side_.emplace(*side);
  }

  [[nodiscard]] std::array<float, 4> pixel(int y, int x) const {
    std::array<float, 4> samples = {};
    if (channels_ >= 3) {
      const Rgb rgb = color(y, x);
      samples = {rgb.r, rgb.g, rgb.b, 0};
    } else {
      samples[0] = is_rgb() ? luma(color(y, x)) : feature(0, y, x);
    }
    if (has_alpha()) samples[static_cast<size_t>(channels_) - 1] = side(side_channels() - 1, y, x);
    return samples;
  }

 private:
  [[nodiscard]] bool is_rgb() const { return decode_.colors == graph::NetworkColors::rgb; }
  [[nodiscard]] bool has_alpha() const { return channels_ == 2 || channels_ == 4; }
  [[nodiscard]] int side_channels() const {
    return (!is_rgb() && channels_ >= 3 ? 2 : 0) + (has_alpha() ? 1 : 0);
  }

  [[nodiscard]] float feature(int channel, int y, int x) const {
    const int block = decode_.block;
    const int from = shuffled_channel(decode_.mode, block, is_rgb() ? 3 : 1, channel, y % block, x % block);
    return features_.at(from, y / block, x / block);
  }
  [[nodiscard]] float side(int channel, int y, int x) const {
    const SidePosition at_y = side_position(y, decode_.factor);
    const SidePosition at_x = side_position(x, decode_.factor);
    return decode_.filter == graph::SideFilter::bilinear ? bilinear(*side_, channel, at_y, at_x)
                                                         : bicubic(*side_, channel, at_y, at_x);
  }
  [[nodiscard]] Rgb color(int y, int x) const {
    if (is_rgb()) return {feature(0, y, x), feature(1, y, x), feature(2, y, x)};
    return rgb_from_ycbcr(feature(0, y, x), side(0, y, x), side(1, y, x));
  }

  graph::Decode decode_;
  Planes features_;
  std::optional<Planes> side_;
  int channels_;
};

}  // namespace

StatisticsWords decode_reference(const graph::Decode& decode, const Tensor& features, const Tensor* side,
                                 Tensor& picture) {
  const int channels = picture.type.channels;
  const int colors = channels >= 3 ? 3 : 1;
  const Decoder decoder(decode, features, side, channels);
  StatisticsWords statistics = {};
  for (int y = 0; y < picture.extent.height_px; ++y) {
    for (int x = 0; x < picture.extent.width_px; ++x) {
      const auto samples = decoder.pixel(y, x);
      for (int channel = 0; channel < channels; ++channel) {
        const float sample = samples[static_cast<size_t>(channel)];
        if (channel < colors) note(statistics, sample);
        store_sample(picture, channel, y, x, sample);
      }
    }
  }
  return statistics;
}

}  // namespace upres::kernels
