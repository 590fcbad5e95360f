#include "onnx/operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace upres::onnx {
namespace {

// consumed_inputs is what is left of a hint of opsets 1 to 5, without any meaning today.
const std::vector<OperatorImport>& table() {
  static const std::vector<OperatorImport> kTable = {
      {"Clip", import_clip, 1, 3, {"min", "max", "consumed_inputs"}},
      {"Constant",
       import_constant,
       0,
       0,
       {"value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings",
        "sparse_value"}},
      {"Conv", import_conv, 2, 3, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
      {"DepthToSpace", import_depth_to_space, 1, 1, {"blocksize", "mode"}},
      {"Identity", import_identity, 1, 1, {}},
      {"Relu", import_relu, 1, 1, {"consumed_inputs"}},
      {"Reshape", import_reshape, 1, 2, {"shape", "allowzero", "consumed_inputs"}},
      {"Transpose", import_transpose, 1, 1, {"perm"}},
  };
  return kTable;
}

bool is_standard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

}  // namespace

const OperatorImport* find_operator(const proto::NodeProto& node) {
  if (!is_standard(node.domain())) return nullptr;
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const OperatorImport& row) { return row.op_type == node.op_type(); });
  return found == table().end() ? nullptr : &*found;
}

std::string known_operators() {
  std::vector<std::string_view> names;
  for (const OperatorImport& row : table()) names.push_back(row.op_type);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace upres::onnx
