#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

namespace upres::graph {
namespace {

// Whether Decode clamps the very samples that the network makes: not when chroma or a conversion to grey
// comes between, nor when the picture stays float for a resampling.
bool clamps_features(const Graph& graph, const Node& node, const Decode& decode) {
  const TensorType& picture = graph.value(node.outputs.front()).type;
  const bool grey = picture.channels <= 2;
  return picture.dtype != DType::f32 && grey == (decode.colors == NetworkColors::luma);
}

// Lets Decode do what this node before it does; false when it cannot.
bool absorb(Graph& graph, Node& decode_node, const Node& before) {
  auto& decode = std::get<Decode>(decode_node.op);
  if (is_clip(before.op, 0, 1)) return clamps_features(graph, decode_node, decode);
  const auto* shuffle = std::get_if<DepthToSpace>(&before.op);
  if (shuffle == nullptr || decode.block != 1 || decode.factor % shuffle->block != 0) return false;
  decode.block = shuffle->block;
  decode.mode = shuffle->mode;
  return true;
}

}  // namespace

PassStatus fuse_shuffle_into_decode(Graph& graph) {
  const Uses uses(graph);
  std::vector<Node>& nodes = graph.mutable_nodes();
  std::vector<bool> erase(nodes.size(), false);
  PassStatus status = PassStatus::unchanged;
  for (Node& node : nodes) {
    if (!std::holds_alternative<Decode>(node.op)) continue;
    while (uses.sole_reader(node.inputs.front())) {
      const auto producer = uses.producer(node.inputs.front());
      if (!producer || !absorb(graph, node, nodes[*producer])) break;
      node.inputs.front() = nodes[*producer].inputs.front();
      erase[*producer] = true;
      status = PassStatus::changed;
    }
  }
  erase_nodes(graph, erase);
  return status;
}

}  // namespace upres::graph
