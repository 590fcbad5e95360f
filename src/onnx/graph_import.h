// A parsed model -> Model. Internal.
#pragma once

#include "base/error.h"
#include "onnx/import.h"
#include "onnx/proto.h"

namespace upres::onnx {

// Errors: model, without the file's name.
Result<Model> import_graph(const proto::ModelProto& model);

}  // namespace upres::onnx
