// Structural checks between passes.
#pragma once

#include "graph/graph.h"

namespace upres::graph {

// Checks that names are unique, inputs are produced before they are used, each value once, types and channel
// counts fit the operators, weights have the size that their shape says.
// Errors: model, naming node and value.
Status verify(const Graph& graph);

// verify(), and that no operator is left that nothing can run (Reshape, Transpose): the final form before
// planning.
Status verify_runnable(const Graph& graph);

}  // namespace upres::graph
