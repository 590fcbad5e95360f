// Conv by its definition in graph/graph.h.
#pragma once

#include "base/tensor.h"
#include "graph/graph.h"

namespace upres::kernels {

// in, out: planar f32, packed.
void conv_reference(const graph::Conv& conv, const Tensor& in, Tensor& out);

}  // namespace upres::kernels
