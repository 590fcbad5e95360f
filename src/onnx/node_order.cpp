// Kahn, "Topological sorting of large networks", 1962; among the nodes that are ready the first of the file
// goes first.
#include "onnx/node_order.h"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <unordered_map>

#include "base/display_name.h"

namespace upres::onnx {
namespace {

using NodeOfOutput = std::unordered_map<std::string_view, int>;

Result<NodeOfOutput> find_producers(const proto::GraphProto& graph,
                                    const std::unordered_set<std::string_view>& given) {
  NodeOfOutput producers;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      if (output.empty()) continue;  // an optional output that nobody wants
      if (given.contains(output) || !producers.emplace(output, i).second) {
        return fail(ErrorCode::model, fmt::format("tensor {}: made twice", display_name(output)));
      }
    }
  }
  return producers;
}

// Which nodes wait for which.
struct Dependencies {
  std::vector<std::vector<int>> readers;  // per node
  std::vector<int> missing;               // per node: how many reads wait for another node
};

Result<Dependencies> find_dependencies(const proto::GraphProto& graph, const NodeOfOutput& producers,
                                       const std::unordered_set<std::string_view>& given) {
  const auto count = static_cast<size_t>(graph.node_size());
  Dependencies found{std::vector<std::vector<int>>(count), std::vector<int>(count, 0)};
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& input : graph.node(i).input()) {
      if (input.empty() || given.contains(input)) continue;
      const auto producer = producers.find(input);
      if (producer == producers.end()) {
        return fail(ErrorCode::model,
                    fmt::format("tensor {}: read by a node, but not in the file", display_name(input)));
      }
      found.readers[static_cast<size_t>(producer->second)].push_back(i);
      ++found.missing[static_cast<size_t>(i)];
    }
  }
  return found;
}

}  // namespace

Result<std::vector<int>> order_nodes(const proto::GraphProto& graph,
                                     const std::unordered_set<std::string_view>& given) {
  auto producers = find_producers(graph, given);
  if (!producers) return propagate(producers);
  auto dependencies = find_dependencies(graph, *producers, given);
  if (!dependencies) return propagate(dependencies);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (dependencies->missing[static_cast<size_t>(i)] == 0) ready.push(i);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int reader : dependencies->readers[static_cast<size_t>(order.back())]) {
      if (--dependencies->missing[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
  }
  if (order.size() == dependencies->missing.size()) return order;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (dependencies->missing[static_cast<size_t>(i)] == 0 || graph.node(i).output_size() == 0) continue;
    return fail(ErrorCode::model,
                fmt::format("tensor {}: depends on itself", display_name(graph.node(i).output(0))));
  }
  return fail(ErrorCode::model, "its nodes depend on themselves");
}

}  // namespace upres::onnx
