// The tensors that the caller of a session brings.
#pragma once

#include <span>

#include "base/error.h"
#include "graph/graph.h"
#include "session/cpu/place.h"
#include "session/cpu/program.h"
#include "session/session.h"

namespace upres::session::cpu {

// Whether the job's tensors are those of the graph and their memory is large enough. `extents` are those of
// all values. Errors: model.
Status check_job(const graph::Graph& graph, std::span<const Extent> extents, const Job& job);

MutableRows rows_of(const MutableTensorView& view);
Rows rows_of(const TensorView& view);

// Fills the outputs that are inputs or other outputs again.
void copy_outputs(const Program& program, const Job& job);

}  // namespace upres::session::cpu
