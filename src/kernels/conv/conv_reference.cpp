#include "kernels/conv/conv_reference.h"

#include <cmath>

#include "kernels/planes.h"

namespace upres::kernels {

namespace {

// The sum over one output sample, input channels outermost, the bias added at the end.
float convolve(const graph::Conv& conv, const Planes& in, int out_channel, int y, int x) {
  const std::vector<float>& weights = *conv.weights;
  auto weight = static_cast<size_t>(out_channel) * static_cast<size_t>(conv.in_channels) *
                static_cast<size_t>(conv.kernel_height) * static_cast<size_t>(conv.kernel_width);
  float sum = 0;
  for (int channel = 0; channel < conv.in_channels; ++channel) {
    for (int ky = 0; ky < conv.kernel_height; ++ky) {
      for (int kx = 0; kx < conv.kernel_width; ++kx, ++weight) {
        sum = std::fma(weights[weight],
                       in.or_zero(channel, y + ky - conv.padding.top, x + kx - conv.padding.left), sum);
      }
    }
  }
  return sum + (*conv.biases)[static_cast<size_t>(out_channel)];
}

}  // namespace

void conv_reference(const graph::Conv& conv, const Tensor& in, Tensor& out) {
  const Planes input(in);
  auto result = out.as<float>().begin();
  for (int channel = 0; channel < conv.out_channels; ++channel) {
    for (int y = 0; y < out.extent.height_px; ++y) {
      for (int x = 0; x < out.extent.width_px; ++x) {
        const float value = convolve(conv, input, channel, y, x);
        *result++ = conv.apply_relu && value < 0 ? 0.0F : value;  // NaN stays NaN
      }
    }
  }
}

}  // namespace upres::kernels
