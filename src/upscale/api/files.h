// From picture file to picture file.
#pragma once

#include "upscale/api/engine.h"

namespace upres {

// Errors: see Upscaler::upscale_file.
Result<FileReport> upscale_file(Engine& engine, const std::filesystem::path& input,
                                const std::filesystem::path& output, const FileOptions& options, Watch& watch,
                                const Log& log);

}  // namespace upres
