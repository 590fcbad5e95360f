// Decode by its definition in graph/graph.h.
#pragma once

#include "base/tensor.h"
#include "graph/graph.h"
#include "kernels/pixels/statistics.h"

namespace upres::kernels {

// features, side: planar f32, packed; side null when there is nothing beside the network. picture:
// interleaved u8 or u16 (NaN becomes 0), or planar f32 (as it is, alpha too). The statistics are those of one
// job.
StatisticsWords decode_reference(const graph::Decode& decode, const Tensor& features, const Tensor* side,
                                 Tensor& picture);

}  // namespace upres::kernels
