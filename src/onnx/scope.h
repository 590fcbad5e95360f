// What the names of a model stand for while it is imported. Internal.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/error.h"
#include "graph/graph.h"
#include "onnx/proto.h"
#include "onnx/tensors.h"

namespace upres::onnx {

// A tensor that is computed: its value in the graph, and its sizes as far as the model declares them.
struct Activation {
  graph::ValueId id = 0;
  Dims dims;
};

// A constant is read only when an operator needs it, so what nobody uses may be of any kind.
using Symbol = std::variant<Activation, const proto::TensorProto*>;

// Names of tensors, each defined once. Names and messages must outlive it.
class Scope {
 public:
  // Errors: model, when the name is taken or empty.
  Status define(std::string_view name, Symbol symbol);
  // Null when there is none.
  [[nodiscard]] const Symbol* find(std::string_view name) const;

  // The floats of a constant, shared between all who read it: many nodes may name one large tensor.
  Result<graph::Weights> floats(const proto::TensorProto& tensor, std::string_view name);
  // `count` zeros, shared likewise.
  graph::Weights zeros(size_t count);

 private:
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::unordered_map<const proto::TensorProto*, graph::Weights> floats_;
  std::map<size_t, graph::Weights> zeros_;
};

}  // namespace upres::onnx
