// Clip by its definition in graph/graph.h.
#pragma once

#include "base/tensor.h"
#include "graph/graph.h"

namespace upres::kernels {

// in, out: planar f32, packed.
void clip_reference(const graph::Clip& clip, const Tensor& in, Tensor& out);

}  // namespace upres::kernels
