// The table of operators that the importer knows. Internal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnx/node_import.h"

namespace upres::onnx {

// One operator: every opset of it is meant, the functions look at the opset where it matters.
struct OperatorImport {
  std::string_view op_type;
  Status (*run)(NodeImport& node);
  int min_inputs = 1;
  int max_inputs = 1;
  std::vector<std::string_view> attributes;
};

// Null when upres does not run it. Operators of other domains than the standard's are never known.
const OperatorImport* find_operator(const proto::NodeProto& node);

// "Clip, Constant, Conv, ...", for messages.
std::string known_operators();

// One a file, in operators/. Semantics: github.com/onnx/onnx, docs/Operators.md and Changelog.md.
Status import_clip(NodeImport& node);
Status import_constant(NodeImport& node);
Status import_conv(NodeImport& node);
Status import_depth_to_space(NodeImport& node);
Status import_identity(NodeImport& node);
Status import_relu(NodeImport& node);
Status import_reshape(NodeImport& node);
Status import_transpose(NodeImport& node);

}  // namespace upres::onnx
