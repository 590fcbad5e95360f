// Constants of a model as host values. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"
#include "onnx/proto.h"

namespace upres::onnx {

using Dims = std::vector<int64_t>;  // in memory order, batch first; -1 where free

// "FLOAT16", "INT8", ...; the number for those this version does not know.
std::string type_name(int32_t type);

// "64x1x5x5"; "scalar" without dimensions; "?" where free.
std::string dims_text(const Dims& dims);

// The elements in row-major order, from raw_data or the typed field, whose number must be the one that the
// shape says. FLOAT, FLOAT16 and DOUBLE become float (a double is rounded to the nearest). `name` is how
// messages call the tensor. Errors: model: another type, data in another file, in segments, missing, or too
// short or long.
Result<graph::Weights> read_floats(const proto::TensorProto& tensor, std::string_view name);

// The same for INT64 and INT32.
Result<std::vector<int64_t>> read_integers(const proto::TensorProto& tensor, std::string_view name);

Dims dims_of(const proto::TensorProto& tensor);

}  // namespace upres::onnx
