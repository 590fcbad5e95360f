#include <limits>
#include <numeric>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

namespace upres::graph {
namespace {

bool changes_nothing(const Operator& op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::holds_alternative<Identity>(op) || is_clip(op, -kInfinity, kInfinity)) return true;
  const auto* shuffle = std::get_if<DepthToSpace>(&op);
  return shuffle != nullptr && shuffle->block == 1;
}

// Sends the readers of removed values to what they were copies of.
class IdentityRemover {
 public:
  explicit IdentityRemover(Graph& graph)
      : graph_(graph), same_as_(graph.values().size()), is_port_(same_as_.size(), false), leaves_(is_port_) {
    std::iota(same_as_.begin(), same_as_.end(), ValueId{0});
    for (const ValueId id : graph.inputs()) is_port_[id] = true;
    for (const ValueId id : graph.outputs()) is_port_[id] = leaves_[id] = true;
  }

  PassStatus run() {
    std::vector<Node>& nodes = graph_.mutable_nodes();
    std::vector<bool> erase(nodes.size(), false);
    PassStatus status = PassStatus::unchanged;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (ValueId& id : nodes[i].inputs) id = same_as_[id];
      erase[i] = changes_nothing(nodes[i].op) && bypass(nodes[i]);
      if (erase[i]) status = PassStatus::changed;
    }
    for (ValueId& id : graph_.mutable_outputs()) id = same_as_[id];
    erase_nodes(graph_, erase);
    return status;
  }

 private:
  // An output of the graph keeps its name: what made the copied value then makes the output. That cannot be
  // when the copied value is itself an input or an output; such a node stays.
  bool bypass(const Node& node) {
    const ValueId source = node.inputs.front();
    const ValueId copy = node.outputs.front();
    if (leaves_[copy]) {
      if (is_port_[source]) return false;
      std::swap(graph_.mutable_values()[source].name, graph_.mutable_values()[copy].name);
      is_port_[source] = true;
    }
    same_as_[copy] = source;
    return true;
  }

  Graph& graph_;
  std::vector<ValueId> same_as_;
  std::vector<bool> is_port_;
  std::vector<bool> leaves_;
};

}  // namespace

PassStatus remove_identities(Graph& graph) { return IdentityRemover(graph).run(); }

}  // namespace upres::graph
