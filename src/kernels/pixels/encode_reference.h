// Encode by its definition in graph/graph.h.
#pragma once

#include "base/tensor.h"
#include "graph/graph.h"

namespace upres::kernels {

// pixels: interleaved u8 or u16, packed. planes, side: planar f32, packed; side null when there is nothing
// beside the network.
void encode_reference(const graph::Encode& encode, const Tensor& pixels, Tensor& planes, Tensor* side);

}  // namespace upres::kernels
