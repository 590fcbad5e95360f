// Small files, read and written whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/error.h"

namespace upres::upscale {

// Errors: input, "cannot read NAME: ...": missing, a folder, unreadable, longer than max_bytes.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, uint64_t max_bytes);

// Writes a file that appears complete or not at all (see PendingFile); an existing file is replaced.
// Errors: input, "cannot write NAME: ...".
Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace upres::upscale
