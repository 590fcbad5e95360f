// The generated messages of ONNX files (github.com/onnx/onnx, docs/IR.md). Only .cpp files and internal
// headers of this folder include it.
#pragma once

#include <upres_onnx.pb.h>

namespace upres::onnx {
namespace proto = ::upres_onnx_proto;
}  // namespace upres::onnx
