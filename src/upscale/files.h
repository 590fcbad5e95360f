// Small files, read and written whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace upres::upscale {

// Asked some times a second while data are waited for, as from a pipe; true: give up. Empty: never.
using Cancelled = std::function<bool()>;

// Errors: input, "cannot read NAME: ...": missing, a folder, unreadable, longer than max_bytes; cancelled.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, uint64_t max_bytes,
                                         const Cancelled& cancelled = {});

// The rest of what an open descriptor gives; it stays open. `label` names it in messages. Errors as
// read_file.
Result<std::vector<std::byte>> read_descriptor(int descriptor, const std::string& label, uint64_t max_bytes,
                                               const Cancelled& cancelled = {});

// Writes a file that appears complete or not at all (see PendingFile); an existing file is replaced.
// Errors: input, "cannot write NAME: ...".
Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace upres::upscale
