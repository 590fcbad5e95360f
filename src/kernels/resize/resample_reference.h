// Resample by its definition in graph/graph.h, with the taps of a table.
#pragma once

#include "base/tensor.h"
#include "graph/graph.h"
#include "kernels/resize/lanczos.h"

namespace upres::kernels {

// in, out: planar f32, packed. Taps beyond the end of the input count as zero.
void resample_reference(graph::Axis axis, const ResampleTable& table, const Tensor& in, Tensor& out);

}  // namespace upres::kernels
