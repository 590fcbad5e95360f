// A pixel shuffle as exporters without DepthToSpace spell it, with block r and C output channels:
//
//   CRD: reshape [n, C, r, r, h, w], transpose [0,1,4,2,5,3], reshape [n, C, r h, r w]
//   DCR: reshape [n, r, r, C, h, w], transpose [0,3,4,1,5,2], reshape [n, C, r h, r w]
//
// n, h and w may be numbers, -1 (whatever is left) or, for n, 0 (as before). The sizes must fit each other;
// which size the model was exported for does not matter.
#include <optional>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

namespace upres::graph {
namespace {

using Dims = std::vector<int64_t>;

const Dims* reshape_of(const Node& node) {
  const auto* reshape = std::get_if<Reshape>(&node.op);
  return reshape == nullptr ? nullptr : &reshape->shape;
}

std::optional<ShuffleMode> mode_of(const Node& node) {
  const auto* transpose = std::get_if<Transpose>(&node.op);
  if (transpose == nullptr) return std::nullopt;
  if (transpose->permutation == std::vector<int>{0, 1, 4, 2, 5, 3}) return ShuffleMode::crd;
  if (transpose->permutation == std::vector<int>{0, 3, 4, 1, 5, 2}) return ShuffleMode::dcr;
  return std::nullopt;
}

bool batches_fit(int64_t split, int64_t joined) { return split == joined || split <= 0 || joined <= 0; }

// Whether `joined` is r times `split`, or one of the two is left open.
bool sizes_fit(int64_t split, int64_t joined, int64_t block) {
  if (split == 0 || joined == 0) return false;
  return split < 0 || joined < 0 || (joined % block == 0 && joined / block == split);
}

// The shuffle that the two reshapes around a transpose of this mode make of in_channels.
std::optional<DepthToSpace> match(const Dims& split, ShuffleMode mode, const Dims& joined, int in_channels) {
  if (split.size() != 6 || joined.size() != 4) return std::nullopt;
  const bool crd = mode == ShuffleMode::crd;
  const int64_t channels = crd ? split[1] : split[3];
  const int64_t block_y = crd ? split[2] : split[1];
  const int64_t block_x = crd ? split[3] : split[2];
  if (channels < 1 || block_y < 1 || block_y > in_channels || block_x != block_y) return std::nullopt;
  if (in_channels % (block_y * block_y) != 0 || in_channels / (block_y * block_y) != channels)
    return std::nullopt;
  if (joined[1] != channels && joined[1] != 0) return std::nullopt;
  const bool fits = batches_fit(split[0], joined[0]) && sizes_fit(split[4], joined[2], block_y) &&
                    sizes_fit(split[5], joined[3], block_y);
  if (!fits) return std::nullopt;
  return DepthToSpace{static_cast<int>(block_y), mode};
}

struct Spelled {
  size_t transpose = 0;
  size_t join = 0;
  DepthToSpace shuffle;
};

// The shuffle that begins at this node, a Reshape.
std::optional<Spelled> spelled_at(const Graph& graph, const Uses& uses, const Node& split) {
  const Dims* split_dims = reshape_of(split);
  if (split_dims == nullptr) return std::nullopt;
  const auto transpose = uses.sole_reader(split.outputs.front());
  if (!transpose) return std::nullopt;
  const auto mode = mode_of(graph.nodes()[*transpose]);
  if (!mode) return std::nullopt;
  const auto join = uses.sole_reader(graph.nodes()[*transpose].outputs.front());
  if (!join) return std::nullopt;
  const Dims* join_dims = reshape_of(graph.nodes()[*join]);
  if (join_dims == nullptr) return std::nullopt;
  const auto shuffle = match(*split_dims, *mode, *join_dims, graph.value(split.inputs.front()).type.channels);
  if (!shuffle) return std::nullopt;
  return Spelled{*transpose, *join, *shuffle};
}

}  // namespace

PassStatus fuse_pixel_shuffle(Graph& graph) {
  const Uses uses(graph);
  std::vector<Node>& nodes = graph.mutable_nodes();
  std::vector<bool> erase(nodes.size(), false);
  PassStatus status = PassStatus::unchanged;
  for (Node& node : nodes) {
    const auto spelled = spelled_at(graph, uses, node);
    if (!spelled) continue;
    node.op = spelled->shuffle;
    node.outputs = nodes[spelled->join].outputs;
    erase[spelled->transpose] = erase[spelled->join] = true;
    status = PassStatus::changed;
  }
  erase_nodes(graph, erase);
  return status;
}

}  // namespace upres::graph
