#include "kernels/resize/resample_reference.h"

#include <cmath>

#include "kernels/planes.h"

namespace upres::kernels {

void resample_reference(graph::Axis axis, const ResampleTable& table, const Tensor& in, Tensor& out) {
  const Planes input(in);
  auto result = out.as<float>().begin();
  for (int channel = 0; channel < out.type.channels; ++channel) {
    for (int y = 0; y < out.extent.height_px; ++y) {
      for (int x = 0; x < out.extent.width_px; ++x) {
        const auto at = static_cast<size_t>(axis == graph::Axis::x ? x : y);
        float sum = 0;
        for (uint32_t k = 0; k < table.taps; ++k) {
          const int from = table.first_samples[at] + static_cast<int>(k);
          const float sample =
              axis == graph::Axis::x ? input.or_zero(channel, y, from) : input.or_zero(channel, from, x);
          sum = std::fma(table.weights[at * table.taps + k], sample, sum);
        }
        *result++ = sum;
      }
    }
  }
}

}  // namespace upres::kernels
