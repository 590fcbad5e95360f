#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

namespace upres::graph {

PassStatus fuse_shuffle_into_conv(Graph& graph, const IsWanted& is_wanted) {
  const auto fuse = [](const Node& first, const Node& second) -> std::optional<Operator> {
    const auto* conv = std::get_if<Conv>(&first.op);
    const auto* shuffle = std::get_if<DepthToSpace>(&second.op);
    if (conv == nullptr || shuffle == nullptr || conv->shuffle.block != 1) return std::nullopt;
    Conv fused = *conv;
    fused.shuffle = *shuffle;
    return fused;
  };
  return fuse_neighbours(graph, fuse, is_wanted);
}

}  // namespace upres::graph
