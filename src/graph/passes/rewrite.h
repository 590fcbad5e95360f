// What the passes share: who makes and who reads a value, and taking nodes out. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/passes.h"

namespace upres::graph {

// Producers and readers of a graph's values, as they are when this is made.
class Uses {
 public:
  explicit Uses(const Graph& graph);

  // Index of the node that makes the value; nothing for inputs.
  [[nodiscard]] std::optional<size_t> producer(ValueId id) const;
  // Index of the only node that reads the value, and reads it once; nothing where there are more, or none, or
  // where the value leaves the graph.
  [[nodiscard]] std::optional<size_t> sole_reader(ValueId id) const;

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Use {
    size_t producer = kNone;
    size_t reader = kNone;
    size_t reads = 0;  // by nodes and as outputs of the graph
  };
  std::vector<Use> uses_;
};

// What two nodes are together, the second the only reader of the first; nothing where they stay apart.
using FuseTwo = std::function<std::optional<Operator>(const Node& first, const Node& second)>;
// Makes one node, "first+second", of every two neighbours that can and shall be one, from the first node on.
PassStatus fuse_neighbours(Graph& graph, const FuseTwo& fuse, const IsWanted& is_wanted);

// Takes out the nodes whose flag is set; the order of the others stays.
void erase_nodes(Graph& graph, const std::vector<bool>& erase);

// Whether the operator is Clip from `min` to `max`.
bool is_clip(const Operator& op, float min, float max);

}  // namespace upres::graph
