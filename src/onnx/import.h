// ONNX model file -> Graph. The only place that knows protobuf.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"

namespace upres::onnx {

// How the model declares one of its inputs or outputs, for `run` (types and batch) and messages.
struct Port {
  std::string name;
  DType dtype = DType::f32;            // f32 or f16
  std::vector<int64_t> declared_dims;  // -1 where free
};

struct Model {
  graph::Graph graph;  // as in the file: simplified by nobody yet; all f32
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  int64_t opset = 0;
  std::string producer;
};

// Reads a model from its bytes; `label` (the file's name) begins each message. Supported: Conv (stride 1,
// dilation 1, one group, pads or auto_pad), Relu, Clip (attributes or constant inputs), DepthToSpace, Reshape
// and Transpose (constant shapes), Constant, Identity; initializers f32 or f16 in raw_data or the typed
// fields. Fixed spatial sizes are ignored. Hostile input is safe. Errors: model ("x.onnx: node Conv_3: ...",
// naming operator, node and opset; tensors by name).
Result<Model> import_model(std::span<const std::byte> bytes, std::string_view label);

// The same from a file (at most 2 GiB). Errors: model, also when it is missing, unreadable or no model.
Result<Model> import_file(const std::string& path);

}  // namespace upres::onnx
