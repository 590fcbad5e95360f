// The plain CPU references: what every fast path is checked against. Written for clarity alone: plain loops,
// one thread, accumulation in float in the order of the definition.
#pragma once

#include <span>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "graph/graph.h"

namespace upres::kernels {

// Where a window lies in the whole picture; only Resample asks. Decoded pixels begin at input origin times
// the factor.
struct JobWindow {
  Origin input;             // of the window of the graph's input, in the whole input picture
  Origin resampled;         // of the window of the graph's output, in the whole output picture
  Extent resampled_extent;  // of that window; empty where the graph does not resample
};

// One node on host tensors, by the definitions in graph/graph.h. `inputs` are packed tensors in the node's
// order. Extents of the outputs come from graph::infer_extents. Errors: model, for an operator without a
// definition (Reshape).
Result<std::vector<Tensor>> run_reference(const graph::Graph& graph, const graph::Node& node,
                                          std::span<const Tensor> inputs, std::span<const Extent> extents,
                                          const JobWindow& window);

// The whole graph: outputs in the graph's order.
Result<std::vector<Tensor>> run_reference(const graph::Graph& graph, std::span<const Tensor> inputs,
                                          const JobWindow& window = {});

}  // namespace upres::kernels
