#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

namespace upres::graph {

PassStatus fuse_conv_pairs(Graph& graph, const IsWanted& is_wanted) {
  const auto fuse = [](const Node& first, const Node& second) -> std::optional<Operator> {
    const auto* before = std::get_if<Conv>(&first.op);
    const auto* behind = std::get_if<Conv>(&second.op);
    if (before == nullptr || behind == nullptr || before->shuffle.block != 1) return std::nullopt;
    return ConvPair{*before, *behind};
  };
  return fuse_neighbours(graph, fuse, is_wanted);
}

}  // namespace upres::graph
