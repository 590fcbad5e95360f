// A look at a model file's bytes before protobuf allocates anything for them. Internal.
#pragma once

#include <cstddef>
#include <span>

#include "base/error.h"

namespace upres::onnx {

// Each record (a message or a string) costs up to some 150 bytes in memory, but may take only two in the
// file. Large models have some ten thousand nodes of about twenty records.
inline constexpr size_t kMaxRecords = size_t{1} << 20;

// Checks that the bytes are well-formed protobuf where a ModelProto has messages, and that there are at most
// kMaxRecords records. Errors: model.
Status check_wire(std::span<const std::byte> bytes);

}  // namespace upres::onnx
