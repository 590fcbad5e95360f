// Store by its definition in graph/graph.h.
#pragma once

#include "base/tensor.h"

namespace upres::kernels {

// Writes one sample of a packed picture: quantised into interleaved u8 or u16, or as it is into planar f32.
void store_sample(Tensor& picture, int channel, int y, int x, float value);

// planes: planar f32, packed. picture: interleaved u8 or u16, packed; NaN becomes 0.
void store_reference(const Tensor& planes, Tensor& picture);

}  // namespace upres::kernels
