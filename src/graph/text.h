// The graph's own text form, for `inspect`, logs and golden tests.
#pragma once

#include <string>

#include "graph/graph.h"

namespace upres::graph {

// What an operator does beyond its name: "1->64 5x5 pad 2,2,2,2 relu" (kernel width x height; padding top,
// left, bottom, right); weights are not shown. Empty for those without parameters. Floats are printed so that
// reading them back gives the same value.
std::string describe(const Operator& op);

// One line a node: "%conv1 = conv(%input) 1->64 5x5 pad 2,2,2,2 relu   # Conv_0", inputs first and outputs
// last.
std::string to_text(const Graph& graph);

}  // namespace upres::graph
