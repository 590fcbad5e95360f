// The shapes of the device database, read: "64->32 3x3 fp16", "1->64 5x5, 64->64 3x3 fp16".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/dtype.h"

namespace upres::devicedb {

struct ShapeConv {
  uint32_t in_channels = 0;
  uint32_t out_channels = 0;
  uint32_t kernel_width = 0;
  uint32_t kernel_height = 0;
};

struct Shape {
  std::vector<ShapeConv> convs;  // one or two
  DType dtype = DType::f32;
};

// What kernels::shape_text writes, and devices/schema.json asks for; nothing for any other text. The numbers
// may be any.
std::optional<Shape> parse_shape(std::string_view text);

}  // namespace upres::devicedb
