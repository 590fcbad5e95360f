#include "graph/passes/rewrite.h"

namespace upres::graph {

Uses::Uses(const Graph& graph) : uses_(graph.values().size()) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    for (const ValueId id : graph.nodes()[i].outputs) uses_[id].producer = i;
    for (const ValueId id : graph.nodes()[i].inputs) {
      uses_[id].reader = i;
      ++uses_[id].reads;
    }
  }
  for (const ValueId id : graph.outputs()) {
    uses_[id].reader = kNone;
    ++uses_[id].reads;
  }
}

std::optional<size_t> Uses::producer(ValueId id) const {
  return uses_[id].producer == kNone ? std::nullopt : std::optional(uses_[id].producer);
}

std::optional<size_t> Uses::sole_reader(ValueId id) const {
  const Use& use = uses_[id];
  return use.reads == 1 && use.reader != kNone ? std::optional(use.reader) : std::nullopt;
}

PassStatus fuse_neighbours(Graph& graph, const FuseTwo& fuse, const IsWanted& is_wanted) {
  const Uses uses(graph);
  std::vector<Node>& nodes = graph.mutable_nodes();
  std::vector<bool> erase(nodes.size(), false);
  PassStatus status = PassStatus::unchanged;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto reader = uses.sole_reader(nodes[i].outputs.front());
    if (!reader) continue;
    const Node& second = nodes[*reader];
    auto op = fuse(nodes[i], second);
    if (!op) continue;
    Node fused{nodes[i].name + "+" + second.name, std::move(*op), nodes[i].inputs, second.outputs,
               second.origin};
    if (!is_wanted(graph, fused)) continue;
    nodes[*reader] = std::move(fused);
    erase[i] = true;
    status = PassStatus::changed;
  }
  erase_nodes(graph, erase);
  return status;
}

void erase_nodes(Graph& graph, const std::vector<bool>& erase) {
  std::vector<Node> kept;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!erase[i]) kept.push_back(std::move(graph.mutable_nodes()[i]));
  }
  graph.mutable_nodes() = std::move(kept);
}

bool is_clip(const Operator& op, float min, float max) {
  const auto* clip = std::get_if<Clip>(&op);
  return clip != nullptr && clip->min == min && clip->max == max;
}

}  // namespace upres::graph
