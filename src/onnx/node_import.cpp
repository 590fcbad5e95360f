#include "onnx/node_import.h"

#include <fmt/format.h>

#include "base/display_name.h"

namespace upres::onnx {

std::string operator_label(std::string_view op_type, int64_t opset) {
  return fmt::format("{} (opset {})", display_name(op_type), opset);
}

bool NodeImport::has_input(int index) const {
  return index < node_->input_size() && !node_->input(index).empty();
}

Result<Activation> NodeImport::activation(int index) const {
  if (!has_input(index)) return fail(ErrorCode::model, fmt::format("input {} is missing", index));
  const Symbol* found = symbol(index);
  if (found != nullptr && std::holds_alternative<Activation>(*found)) return std::get<Activation>(*found);
  return fail(ErrorCode::model,
              fmt::format("input {} is a constant; upres computes only what depends on the picture",
                          display_name(input_name(index))));
}

Result<Activation> NodeImport::picture(int index) const {
  auto found = activation(index);
  if (found && found->dims.size() != 4) {
    return fail(ErrorCode::model, fmt::format("input {} has {} dimensions where 4 are needed",
                                              display_name(input_name(index)), found->dims.size()));
  }
  return found;
}

int NodeImport::channels(const Activation& activation) const {
  return state_->graph.value(activation.id).type.channels;
}

Result<const proto::TensorProto*> NodeImport::constant(int index, std::string_view role) const {
  if (!has_input(index)) return fail(ErrorCode::model, fmt::format("input {} ({}) is missing", index, role));
  const Symbol* found = symbol(index);
  if (found != nullptr && std::holds_alternative<const proto::TensorProto*>(*found)) {
    return std::get<const proto::TensorProto*>(*found);
  }
  return fail(ErrorCode::model,
              fmt::format("input {} ({}) is computed at run time; upres needs it in the file",
                          display_name(input_name(index)), role));
}

Result<graph::Weights> NodeImport::floats(int index, std::string_view role) const {
  auto tensor = constant(index, role);
  if (!tensor) return propagate(tensor);
  return state_->scope.floats(**tensor, input_name(index));
}

Result<std::vector<int64_t>> NodeImport::integers(int index, std::string_view role) const {
  auto tensor = constant(index, role);
  if (!tensor) return propagate(tensor);
  return read_integers(**tensor, input_name(index));
}

Status NodeImport::emit(graph::Operator op, graph::ValueId input, Dims dims, int64_t channels) {
  if (channels < 1 || channels > kMaxChannels) {
    return fail(ErrorCode::model, fmt::format("its output would have {} channels", channels));
  }
  const std::string& output = node_->output(0);
  const TensorType type{DType::f32, Layout::planar, static_cast<int>(channels)};
  const graph::ValueId id = state_->graph.add_value(output, type);
  if (auto status = state_->scope.define(output, Activation{id, std::move(dims)}); !status) return status;
  state_->graph.add_node(
      {name_, std::move(op), {input}, {id}, fmt::format("{}, opset {}", node_->op_type(), opset())});
  return {};
}

Status NodeImport::define_constant(const proto::TensorProto* tensor) {
  return state_->scope.define(node_->output(0), tensor);
}

tl::unexpected<Error> NodeImport::unsupported(std::string_view with, std::string_view instead) const {
  return fail(ErrorCode::model, fmt::format("{} with {} is not supported; upres runs {}",
                                            operator_label(node_->op_type(), opset()), with, instead));
}

}  // namespace upres::onnx
