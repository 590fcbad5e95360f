#include "kernels/pixels/depth_to_space_reference.h"

#include "kernels/planes.h"

namespace upres::kernels {

void depth_to_space_reference(const graph::DepthToSpace& shuffle, const Tensor& in, Tensor& out) {
  const Planes input(in);
  const int block = shuffle.block;
  auto result = out.as<float>().begin();
  for (int channel = 0; channel < out.type.channels; ++channel) {
    for (int y = 0; y < out.extent.height_px; ++y) {
      for (int x = 0; x < out.extent.width_px; ++x) {
        const int from =
            shuffled_channel(shuffle.mode, block, out.type.channels, channel, y % block, x % block);
        *result++ = input.at(from, y / block, x / block);
      }
    }
  }
}

}  // namespace upres::kernels
