#include "graph/graph.h"

#include <array>
#include <span>

#include "base/display_name.h"
#include "base/hash.h"
#include "graph/names.h"
#include "graph/text.h"

namespace upres::graph {
namespace {

// In the order of the alternatives of Operator.
constexpr std::array<std::string_view, std::variant_size_v<Operator>> kOperatorNames = {
    "conv",      "conv_pair", "clip",   "depth_to_space", "identity", "reshape",
    "transpose", "encode",    "decode", "resample",       "store"};

uint64_t hash_weights(const Weights& weights, uint64_t seed) {
  return weights ? hash_bytes(std::as_bytes(std::span(*weights)), seed) : seed;
}

std::string ids_text(const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) text += std::to_string(id) + ",";
  return text + ";";
}

std::string type_text(const TensorType& type) {
  return std::string(name(type.dtype)) + " " + std::to_string(static_cast<int>(type.layout)) + " " +
         std::to_string(type.channels) + ";";
}

}  // namespace

std::string_view operator_name(const Operator& op) { return kOperatorNames[op.index()]; }

std::vector<const Conv*> convolutions(const Operator& op) {
  if (const auto* conv = std::get_if<Conv>(&op)) return {conv};
  if (const auto* pair = std::get_if<ConvPair>(&op)) return {&pair->first, &pair->second};
  return {};
}

ValueId Graph::add_value(std::string name, const TensorType& type) {
  values_.push_back({std::move(name), type});
  return static_cast<ValueId>(values_.size() - 1);
}

void Graph::add_node(Node node) { nodes_.push_back(std::move(node)); }

std::string node_label(const Node& node) {
  const std::string origin = node.origin.empty() ? "" : " (" + display_name(node.origin) + ")";
  return "node " + display_name(node.name) + origin;
}

int side_channels(NetworkColors colors, int picture_channels) {
  const int chroma = colors == NetworkColors::luma && picture_channels >= 3 ? 2 : 0;
  const int alpha = picture_channels == 2 || picture_channels == 4 ? 1 : 0;
  return chroma + alpha;
}

uint64_t parameter_count(const Graph& graph) {
  uint64_t count = 0;
  for (const Node& node : graph.nodes()) {
    for (const Conv* conv : convolutions(node.op)) {
      if (conv->weights && conv->biases) count += conv->weights->size() + conv->biases->size();
    }
  }
  return count;
}

// Names are left out: the same network under other names is the same work.
uint64_t content_hash(const Graph& graph) {
  std::string structure = ids_text(graph.inputs()) + ids_text(graph.outputs());
  for (const Value& value : graph.values()) structure += type_text(value.type);
  uint64_t hash = 0;
  for (const Node& node : graph.nodes()) {
    structure += std::string(operator_name(node.op)) + " " + describe(node.op) + ";";
    structure += ids_text(node.inputs) + ids_text(node.outputs);
    for (const Conv* conv : convolutions(node.op))
      hash = hash_weights(conv->biases, hash_weights(conv->weights, hash));
  }
  return hash_text(structure, hash);
}

}  // namespace upres::graph
