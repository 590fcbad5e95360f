#include "onnx/scope.h"

#include <fmt/format.h>

#include "base/display_name.h"

namespace upres::onnx {

Status Scope::define(std::string_view name, Symbol symbol) {
  if (name.empty()) return fail(ErrorCode::model, "a tensor has no name");
  if (symbols_.emplace(name, std::move(symbol)).second) return {};
  return fail(ErrorCode::model, fmt::format("tensor {}: two have this name", display_name(name)));
}

const Symbol* Scope::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

Result<graph::Weights> Scope::floats(const proto::TensorProto& tensor, std::string_view name) {
  const auto found = floats_.find(&tensor);
  if (found != floats_.end()) return found->second;
  auto weights = read_floats(tensor, name);
  if (weights) floats_.emplace(&tensor, *weights);
  return weights;
}

graph::Weights Scope::zeros(size_t count) {
  graph::Weights& weights = zeros_[count];
  if (!weights) weights = std::make_shared<const std::vector<float>>(count, 0.0F);
  return weights;
}

}  // namespace upres::onnx
