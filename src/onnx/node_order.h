// The order in which a model's nodes can be read. Internal.
#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "onnx/proto.h"

namespace upres::onnx {

// Indices of the nodes so that each comes after those whose outputs it reads: the order of the file where
// that is one (the standard asks for it, not every writer obeys). `given` holds the names of inputs and
// initializers. Errors: model, naming the tensor: made twice, read but never made, or depending on itself.
Result<std::vector<int>> order_nodes(const proto::GraphProto& graph,
                                     const std::unordered_set<std::string_view>& given);

}  // namespace upres::onnx
