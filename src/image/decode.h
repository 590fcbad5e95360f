// Pixels of files that passed scan(), decoded by libvips.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "image/scan.h"

namespace upres::image {

struct Decoded {
  std::vector<std::byte> pixels;  // of the shape scan.stored, tightly packed
  std::vector<std::byte> icc;
  std::vector<std::string> warnings;  // oddities that do not touch the pixels, one line each
};

// Errors input, without the file's name: damaged or truncated data, not enough memory. Any thread.
Result<Decoded> decode(std::span<const std::byte> file, const Scan& scan);

}  // namespace upres::image
