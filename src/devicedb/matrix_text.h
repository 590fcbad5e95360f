// Shapes of cooperative matrices as text: "16x16x16 f16,f16,f32->f32" is m, n, k, the types of A, B, C and of
// the result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/device_info.h"

namespace upres::devicedb {

inline constexpr size_t kMaxMatrixShapes = 1024;  // in a device description

std::string to_text(const kernels::MatrixShape& shape);
// Empty: not such a text to the letter, an unknown type, or a size outside 1..65535.
std::optional<kernels::MatrixShape> matrix_shape_of(std::string_view text);

}  // namespace upres::devicedb
