#include "onnx/graph_import.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <unordered_set>

#include "base/display_name.h"
#include "onnx/node_import.h"
#include "onnx/node_order.h"
#include "onnx/operators.h"

namespace upres::onnx {
namespace {

tl::unexpected<Error> refuse(std::string message) { return fail(ErrorCode::model, std::move(message)); }

// The version of the standard operators that the model uses.
Result<int64_t> find_opset(const proto::ModelProto& model) {
  std::optional<int64_t> version;
  for (const auto& opset : model.opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (version && *version != opset.version())
      return refuse("it names two versions of the standard operators");
    version = opset.version();
  }
  // Before the third IR version there was only one set of operators.
  if (!version && model.ir_version() < 3) version = 1;
  if (!version || *version < 1) return refuse("it does not say which opset it uses");
  return *version;
}

Status check_model(const proto::ModelProto& model) {
  if (!model.has_graph() || !model.has_ir_version()) return refuse("it is no ONNX model, or it is damaged");
  if (!model.functions().empty()) return refuse("it defines functions of its own, which is not supported");
  if (!model.graph().sparse_initializer().empty())
    return refuse("it has sparse weights, which is not supported");
  if (!model.graph().quantization_annotation().empty())
    return refuse("it is quantised, which is not supported");
  return {};
}

std::string node_label(const proto::NodeProto& node, int index) {
  return node.name().empty() ? fmt::format("node {}_{}", display_name(node.op_type()), index)
                             : fmt::format("node {}", display_name(node.name()));
}

std::string full_type(const proto::NodeProto& node) {
  return node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
}

// The version of the node's own set of operators; 0 when the model does not say.
int64_t opset_of(const proto::ModelProto& model, const proto::NodeProto& node, int64_t standard) {
  if (node.domain().empty()) return standard;
  for (const auto& opset : model.opset_import()) {
    if (opset.domain() == node.domain()) return opset.version();
  }
  return 0;
}

Status check_node(const proto::NodeProto& node, const OperatorImport& op) {
  if (node.input_size() < op.min_inputs || node.input_size() > op.max_inputs || node.output_size() != 1) {
    return refuse(fmt::format("{} inputs and {} outputs", node.input_size(), node.output_size()));
  }
  return Attributes(node).check(op.attributes);
}

// Operators first, and all of them: what upres cannot run is the most useful thing to say about a model.
Status check_nodes(const proto::ModelProto& model, int64_t opset) {
  for (int i = 0; i < model.graph().node_size(); ++i) {
    const proto::NodeProto& node = model.graph().node(i);
    const OperatorImport* op = find_operator(node);
    if (op == nullptr) {
      return refuse(fmt::format("{}: operator {} is not supported; upres runs {}", node_label(node, i),
                                operator_label(full_type(node), opset_of(model, node, opset)),
                                known_operators()));
    }
    if (auto status = check_node(node, *op); !status) return propagate(status, node_label(node, i));
  }
  return {};
}

bool is_float(int32_t type) {
  return type == proto::TensorProto::FLOAT || type == proto::TensorProto::FLOAT16;
}

Dims declared_dims(const proto::TypeProto::Tensor& tensor) {
  Dims dims;
  for (const auto& dim : tensor.shape().dim()) {
    const bool fixed = dim.has_dim_value() && dim.dim_value() >= 1;
    dims.push_back(fixed ? dim.dim_value() : -1);
  }
  return dims;
}

// A declared size that no picture has is as good as none, and sums of the others do not overflow.
Dims plausible(Dims dims) {
  for (int64_t& dim : dims) {
    if (dim > std::numeric_limits<int32_t>::max()) dim = -1;
  }
  return dims;
}

Result<Port> read_port(const proto::ValueInfoProto& info, std::string_view kind, DType otherwise) {
  const auto& tensor = info.type().tensor_type();
  const bool is_tensor = info.type().has_tensor_type();
  if (!is_tensor && info.type().value_case() != proto::TypeProto::VALUE_NOT_SET) {
    return refuse(fmt::format("{} {}: no tensor", kind, display_name(info.name())));
  }
  if (tensor.elem_type() == proto::TensorProto::UNDEFINED)
    return Port{info.name(), otherwise, declared_dims(tensor)};
  if (!is_float(tensor.elem_type())) {
    return refuse(fmt::format("{} {}: type {}; upres runs networks from FLOAT or FLOAT16 to the same", kind,
                              display_name(info.name()), type_name(tensor.elem_type())));
  }
  const bool half = tensor.elem_type() == proto::TensorProto::FLOAT16;
  return Port{info.name(), half ? DType::f16 : DType::f32, declared_dims(tensor)};
}

class GraphImport {
 public:
  GraphImport(const proto::ModelProto& model, int64_t opset) : proto_(model.graph()) {
    state_.opset = opset;
    model_.opset = opset;
    model_.producer = model.producer_name();
    if (!model.producer_version().empty()) model_.producer += " " + model.producer_version();
  }

  Result<Model> run() {
    if (auto status = define_initializers(); !status) return propagate(status);
    if (auto status = define_inputs(); !status) return propagate(status);
    if (auto status = import_nodes(); !status) return propagate(status);
    if (auto status = define_outputs(); !status) return propagate(status);
    model_.graph = std::move(state_.graph);
    return std::move(model_);
  }

 private:
  Status define_initializers() {
    for (const proto::TensorProto& tensor : proto_.initializer()) {
      if (auto status = state_.scope.define(tensor.name(), &tensor); !status) return status;
      given_.insert(tensor.name());
    }
    return {};
  }

  // Until IR version 3 every initializer is listed among the inputs too, as its default.
  Status define_inputs() {
    std::unordered_set<std::string_view> names;
    for (const proto::ValueInfoProto& info : proto_.input()) {
      if (!names.insert(info.name()).second) {
        return refuse(fmt::format("input {}: two have this name", display_name(info.name())));
      }
      if (given_.contains(info.name())) continue;
      if (auto status = define_input(info); !status) return status;
    }
    given_.insert(names.begin(), names.end());
    if (model_.inputs.empty()) return refuse("it has no input");
    return {};
  }

  Status define_input(const proto::ValueInfoProto& info) {
    auto port = read_port(info, "input", DType::f32);
    if (!port) return propagate(port);
    if (port->declared_dims.size() != 4) {
      return refuse(
          fmt::format("input {}: its shape is {}; upres needs 4 dimensions: batch, channels, height, width",
                      display_name(info.name()), dims_text(port->declared_dims)));
    }
    const int64_t channels = port->declared_dims[1];
    if (channels < 1 || channels > kMaxChannels) {
      return refuse(fmt::format("input {}: its shape is {}; upres needs a fixed number of channels",
                                display_name(info.name()), dims_text(port->declared_dims)));
    }
    const TensorType type{DType::f32, Layout::planar, static_cast<int>(channels)};
    const graph::ValueId id = state_.graph.add_value(info.name(), type);
    state_.graph.add_input(id);
    model_.inputs.push_back(*port);
    return state_.scope.define(info.name(), Activation{id, plausible(port->declared_dims)});
  }

  Status import_nodes() {
    auto order = order_nodes(proto_, given_);
    if (!order) return propagate(order);
    for (const int index : *order) {
      const proto::NodeProto& node = proto_.node(index);
      NodeImport import(state_, node, unique_name(node, index));
      auto status = find_operator(node)->run(import);
      if (!status) return propagate(status, node_label(node, index));
    }
    return {};
  }

  // The node's name; writers that leave it out, or use one twice, get one with the node's number.
  std::string unique_name(const proto::NodeProto& node, int index) {
    std::string name = node.name();
    if (name.empty()) name = fmt::format("{}_{}", node.op_type(), index);
    while (!node_names_.insert(name).second) name = fmt::format("{}_{}", name, index);
    return name;
  }

  Status define_outputs() {
    std::unordered_set<std::string_view> names;
    for (const proto::ValueInfoProto& info : proto_.output()) {
      if (!names.insert(info.name()).second) {
        return refuse(fmt::format("output {}: two have this name", display_name(info.name())));
      }
      auto port = read_port(info, "output", model_.inputs.front().dtype);
      if (!port) return propagate(port);
      const Symbol* symbol = state_.scope.find(info.name());
      if (symbol == nullptr)
        return refuse(fmt::format("output {}: no node makes it", display_name(info.name())));
      if (!std::holds_alternative<Activation>(*symbol)) {
        return refuse(fmt::format("output {}: it is a constant", display_name(info.name())));
      }
      state_.graph.add_output(std::get<Activation>(*symbol).id);
      model_.outputs.push_back(std::move(*port));
    }
    if (model_.outputs.empty()) return refuse("it has no output");
    return {};
  }

  const proto::GraphProto& proto_;
  ImportState state_;
  Model model_;
  std::unordered_set<std::string_view> given_;  // inputs and initializers
  std::unordered_set<std::string> node_names_;
};

}  // namespace

Result<Model> import_graph(const proto::ModelProto& model) {
  if (auto status = check_model(model); !status) return propagate(status);
  auto opset = find_opset(model);
  if (!opset) return propagate(opset);
  if (auto status = check_nodes(model, *opset); !status) return propagate(status);
  return GraphImport(model, *opset).run();
}

}  // namespace upres::onnx
