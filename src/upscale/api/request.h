// What a caller asks for, checked against what the model can do.
#pragma once

#include <upres/upscaler.h>

namespace upres {

// Size of the result. Errors: usage (scale or size beyond what the model does; sides beyond an int).
Result<Extent> requested_extent(const Model& model, const Extent& input, const UpscaleOptions& options);

// Errors: usage, when a result of this size is not 1 to factor times the input.
Status check_output_extent(const Model& model, const Extent& input, const Extent& output);

// Errors: usage, when `name` is empty; `what` names it.
Status check_name(std::string_view name, std::string_view what);

// Errors: usage, when `path` is empty or holds a NUL, where the system would end it and take another file.
Status check_path(const std::filesystem::path& path, std::string_view what);

// Errors: usage, naming the option that is out of its range.
Status check_options(const UpscalerOptions& options);

}  // namespace upres
