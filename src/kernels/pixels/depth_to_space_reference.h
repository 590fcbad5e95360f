// DepthToSpace by its definition in graph/graph.h.
#pragma once

#include "base/tensor.h"
#include "graph/graph.h"

namespace upres::kernels {

// Which input channel holds sub-pixel (sub_y, sub_x) of an output channel.
constexpr int shuffled_channel(graph::ShuffleMode mode, int block, int out_channels, int channel, int sub_y,
                               int sub_x) {
  const int sub = sub_y * block + sub_x;
  return mode == graph::ShuffleMode::crd ? channel * block * block + sub : sub * out_channels + channel;
}

// in, out: planar f32, packed.
void depth_to_space_reference(const graph::DepthToSpace& shuffle, const Tensor& in, Tensor& out);

}  // namespace upres::kernels
