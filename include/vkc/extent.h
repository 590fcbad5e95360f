// Sizes in up to three dimensions.
#pragma once

#include <cstdint>

namespace vkc {

// Invocations that a job needs (one per pixel, element, ...), or the texels of an image.
struct Extent {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::uint32_t depth = 1;
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

// A place in an image, in texels from its first one.
struct Offset {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  friend constexpr bool operator==(const Offset&, const Offset&) = default;
};

}  // namespace vkc
