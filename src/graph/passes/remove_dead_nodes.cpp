#include <algorithm>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

namespace upres::graph {
namespace {

// Which values are outputs of the graph or needed for one, and which nodes make none of them.
struct Liveness {
  std::vector<bool> needed;
  std::vector<bool> dead_nodes;
};

Liveness find_live(const Graph& graph) {
  Liveness live{std::vector<bool>(graph.values().size(), false),
                std::vector<bool>(graph.nodes().size(), false)};
  for (const ValueId id : graph.outputs()) live.needed[id] = true;
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    const bool used =
        std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return live.needed[id]; });
    live.dead_nodes[i] = !used;
    if (!used) continue;
    for (const ValueId id : node.inputs) live.needed[id] = true;
    // An output that nobody reads still has to be written somewhere.
    for (const ValueId id : node.outputs) live.needed[id] = true;
  }
  for (const ValueId id : graph.inputs()) live.needed[id] = true;
  return live;
}

void renumber(std::vector<ValueId>& ids, const std::vector<ValueId>& new_ids) {
  for (ValueId& id : ids) id = new_ids[id];
}

void keep_values(Graph& graph, const std::vector<bool>& keep) {
  std::vector<ValueId> new_ids(keep.size());
  std::vector<Value> values;
  for (size_t i = 0; i < keep.size(); ++i) {
    new_ids[i] = static_cast<ValueId>(values.size());
    if (keep[i]) values.push_back(std::move(graph.mutable_values()[i]));
  }
  graph.mutable_values() = std::move(values);
  renumber(graph.mutable_inputs(), new_ids);
  renumber(graph.mutable_outputs(), new_ids);
  for (Node& node : graph.mutable_nodes()) {
    renumber(node.inputs, new_ids);
    renumber(node.outputs, new_ids);
  }
}

bool all(const std::vector<bool>& flags, bool wanted) {
  return std::all_of(flags.begin(), flags.end(), [&](bool flag) { return flag == wanted; });
}

}  // namespace

PassStatus remove_dead_nodes(Graph& graph) {
  const Liveness live = find_live(graph);
  if (all(live.dead_nodes, false) && all(live.needed, true)) return PassStatus::unchanged;
  erase_nodes(graph, live.dead_nodes);
  keep_values(graph, live.needed);
  return PassStatus::changed;
}

}  // namespace upres::graph
