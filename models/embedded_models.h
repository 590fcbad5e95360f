// The models that travel inside the binary. models/*.md say how they were made.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace upres::models {

struct EmbeddedModel {
  std::string_view name;            // "espcn_x2"
  std::span<const std::byte> onnx;  // the model file
  std::string_view quality;         // measured quality as a JSON object, "{}" where nothing was measured
};

// In the order of their names. May be empty.
std::span<const EmbeddedModel> all();

}  // namespace upres::models
