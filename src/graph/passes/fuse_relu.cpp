#include <limits>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

namespace upres::graph {

PassStatus fuse_relu(Graph& graph) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Uses uses(graph);
  std::vector<Node>& nodes = graph.mutable_nodes();
  std::vector<bool> erase(nodes.size(), false);
  PassStatus status = PassStatus::unchanged;
  for (Node& node : nodes) {
    auto* conv = std::get_if<Conv>(&node.op);
    // A second ReLU after the first changes nothing, so it goes too.
    while (conv != nullptr) {
      const auto reader = uses.sole_reader(node.outputs.front());
      if (!reader || !is_clip(nodes[*reader].op, 0, kInfinity)) break;
      conv->apply_relu = true;
      node.outputs = nodes[*reader].outputs;
      erase[*reader] = true;
      status = PassStatus::changed;
    }
  }
  erase_nodes(graph, erase);
  return status;
}

}  // namespace upres::graph
