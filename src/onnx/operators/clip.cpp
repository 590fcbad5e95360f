#include <cmath>
#include <limits>

#include "onnx/operators.h"

namespace upres::onnx {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Since opset 11 the bounds are optional inputs.
Result<float> bound_input(const NodeImport& node, int index, std::string_view role, float otherwise) {
  if (!node.has_input(index)) return otherwise;
  auto values = node.floats(index, role);
  if (!values) return propagate(values);
  if ((*values)->size() == 1) return (*values)->front();
  return fail(ErrorCode::model, std::string(role) + " must be one number");
}

Result<float> bound(const NodeImport& node, int index, std::string_view name, float otherwise) {
  if (node.opset() >= 11) return bound_input(node, index, name, otherwise);
  return node.attributes.real(name, otherwise);
}

Status emit_clip(NodeImport& node, float min, float max) {
  auto input = node.activation(0);
  if (!input) return propagate(input);
  // The standard: where min is above max, every value becomes max.
  return node.emit(graph::Clip{std::min(min, max), max}, input->id, input->dims, node.channels(*input));
}

}  // namespace

Status import_clip(NodeImport& node) {
  const bool by_inputs = node.opset() >= 11;
  if (by_inputs && (node.attributes.has("min") || node.attributes.has("max"))) {
    return fail(ErrorCode::model, "bounds are inputs since opset 11, not attributes");
  }
  if (!by_inputs && node.has_input(1)) return fail(ErrorCode::model, "bounds are attributes before opset 11");
  auto min = bound(node, 1, "min", -kInfinity);
  if (!min) return propagate(min);
  auto max = bound(node, 2, "max", kInfinity);
  if (!max) return propagate(max);
  if (std::isnan(*min) || std::isnan(*max)) return fail(ErrorCode::model, "a bound is not a number");
  return emit_clip(node, *min, *max);
}

Status import_relu(NodeImport& node) { return emit_clip(node, 0, kInfinity); }

}  // namespace upres::onnx
