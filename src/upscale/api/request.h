// What a caller asks for, checked against what the model can do.
#pragma once

#include <upres/upscaler.h>

namespace upres {

// Size of the result. Errors: usage (scale or size beyond what the model does), input (too large to address).
Result<Extent> requested_extent(const Model& model, const Extent& input, const UpscaleOptions& options);

// Errors: usage, when a result of this size is not 1 to factor times the input.
Status check_output_extent(const Model& model, const Extent& input, const Extent& output);

// Errors: usage, naming the option that is out of its range.
Status check_options(const UpscalerOptions& options);

}  // namespace upres
