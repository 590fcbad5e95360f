// Bytes in and out for the subcommands. Both end at the first signal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/pending_file.h"

namespace upres::cli {

// Whether this is data that can be read once only and whose end is not known: a pipe, a socket, a device.
bool is_stream(const std::filesystem::path& path);

// The whole of a file or named pipe. What comes from a pipe is bounded: 4 GiB, less where memory is short.
// Errors: input, "cannot read NAME: ...", also for devices, which never end; cancelled.
Result<std::vector<std::byte>> read_input_file(const std::filesystem::path& path);

// The same of standard input; `label` names it.
Result<std::vector<std::byte>> read_standard_input(const std::string& label);

// Whether a file can be made in the folder of `output`. Errors: input, "the output folder X ...".
Status check_output_folder(const std::filesystem::path& output);

// Writes a file that appears complete or not at all, and not after a signal; one that is replaced keeps its
// permissions. Errors: input, "cannot write NAME: ..."; cancelled.
Status write_output_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                         IfExists if_exists);

}  // namespace upres::cli
