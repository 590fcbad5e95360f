#include <array>

#include "onnx/operators.h"

namespace upres::onnx {
namespace {

// The attributes that may hold the value; exactly one does.
constexpr std::array<std::string_view, 8> kValues = {"value",         "value_float", "value_floats",
                                                     "value_int",     "value_ints",  "value_string",
                                                     "value_strings", "sparse_value"};

Result<std::string_view> only_value(const NodeImport& node) {
  std::string_view found;
  for (const std::string_view name : kValues) {
    if (!node.attributes.has(name)) continue;
    if (!found.empty()) return fail(ErrorCode::model, "it has two values");
    found = name;
  }
  if (found.empty()) return fail(ErrorCode::model, "it has no value");
  return found;
}

Status define_floats(NodeImport& node, const std::vector<float>& values, bool scalar) {
  proto::TensorProto& tensor = node.make_constant();
  tensor.set_data_type(proto::TensorProto::FLOAT);
  if (!scalar) tensor.add_dims(static_cast<int64_t>(values.size()));
  tensor.mutable_float_data()->Add(values.begin(), values.end());
  return node.define_constant(&tensor);
}

Status define_integers(NodeImport& node, const std::vector<int64_t>& values, bool scalar) {
  proto::TensorProto& tensor = node.make_constant();
  tensor.set_data_type(proto::TensorProto::INT64);
  if (!scalar) tensor.add_dims(static_cast<int64_t>(values.size()));
  tensor.mutable_int64_data()->Add(values.begin(), values.end());
  return node.define_constant(&tensor);
}

Status define_tensor(NodeImport& node) {
  auto tensor = node.attributes.tensor("value");
  if (!tensor) return propagate(tensor);
  return node.define_constant(*tensor);
}

template <typename T>
Status define_scalar(NodeImport& node, Result<T> value,
                     Status (*define)(NodeImport&, const std::vector<T>&, bool)) {
  if (!value) return propagate(value);
  return define(node, {*value}, true);
}

template <typename T>
Status define_list(NodeImport& node, Result<std::vector<T>> values,
                   Status (*define)(NodeImport&, const std::vector<T>&, bool)) {
  if (!values) return propagate(values);
  return define(node, *values, false);
}

}  // namespace

Status import_constant(NodeImport& node) {
  auto name = only_value(node);
  if (!name) return propagate(name);
  if (*name == "value") return define_tensor(node);
  if (*name == "value_float") return define_scalar(node, node.attributes.real(*name, 0), define_floats);
  if (*name == "value_floats") return define_list(node, node.attributes.reals(*name), define_floats);
  if (*name == "value_int") return define_scalar(node, node.attributes.integer(*name, 0), define_integers);
  if (*name == "value_ints") return define_list(node, node.attributes.integers(*name, {}), define_integers);
  return node.unsupported(*name, "value, value_float(s) and value_int(s)");
}

Status import_identity(NodeImport& node) {
  const Symbol* symbol = node.has_input(0) ? node.symbol(0) : nullptr;
  if (symbol != nullptr && std::holds_alternative<const proto::TensorProto*>(*symbol)) {
    return node.define_constant(std::get<const proto::TensorProto*>(*symbol));
  }
  auto input = node.activation(0);
  if (!input) return propagate(input);
  return node.emit(graph::Identity{}, input->id, input->dims, node.channels(*input));
}

}  // namespace upres::onnx
