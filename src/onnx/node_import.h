// One node of a model on its way into the graph: what operators read from it and write. Internal.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/attributes.h"
#include "onnx/scope.h"

namespace upres::onnx {

// More channels than any network has; what claims more is an attack or an accident.
inline constexpr int64_t kMaxChannels = 65536;

// What outlives the single node.
struct ImportState {
  graph::Graph graph;
  Scope scope;
  std::deque<proto::TensorProto> made_constants;  // of Constant nodes that give plain numbers
  int64_t opset = 0;
};

// Errors of its functions are model errors that say what is wrong, but not with which node: the caller adds
// that.
class NodeImport {
 public:
  // `name` is the node's, or one given to it; unique. `node`'s operator, attributes' names and numbers of
  // inputs and outputs have been checked.
  NodeImport(ImportState& state, const proto::NodeProto& node, std::string name)
      : attributes(node), state_(&state), node_(&node), name_(std::move(name)) {}

  const Attributes attributes;

  [[nodiscard]] int64_t opset() const { return state_->opset; }
  // Whether the input is there: optional ones may be left out at the end, or have no name.
  [[nodiscard]] bool has_input(int index) const;
  [[nodiscard]] std::string_view input_name(int index) const { return node_->input(index); }

  // The input, which must be computed.
  [[nodiscard]] Result<Activation> activation(int index) const;
  // The same, and it must have four dimensions.
  [[nodiscard]] Result<Activation> picture(int index) const;
  [[nodiscard]] int channels(const Activation& activation) const;
  // The input, which must be a constant. `role` is how messages call it: "weights", "shape".
  [[nodiscard]] Result<const proto::TensorProto*> constant(int index, std::string_view role) const;
  [[nodiscard]] Result<graph::Weights> floats(int index, std::string_view role) const;
  [[nodiscard]] Result<std::vector<int64_t>> integers(int index, std::string_view role) const;
  [[nodiscard]] graph::Weights zeros(size_t count) const { return state_->scope.zeros(count); }
  [[nodiscard]] const Symbol* symbol(int index) const { return state_->scope.find(input_name(index)); }

  // Adds the node to the graph, with one input and one output.
  Status emit(graph::Operator op, graph::ValueId input, Dims dims, int64_t channels);
  // Makes the output another name of a constant.
  Status define_constant(const proto::TensorProto* tensor);
  // A constant of our own, to be filled.
  proto::TensorProto& make_constant() { return state_->made_constants.emplace_back(); }

  // "Conv with group 64 is not supported; upres runs group 1"
  [[nodiscard]] tl::unexpected<Error> unsupported(std::string_view with, std::string_view instead) const;

 private:
  ImportState* state_;
  const proto::NodeProto* node_;
  std::string name_;
};

// "Conv (opset 10)"
std::string operator_label(std::string_view op_type, int64_t opset);

}  // namespace upres::onnx
