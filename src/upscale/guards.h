// Whether a result can be believed.
#pragma once

#include "base/error.h"
#include "base/image.h"
#include "kernels/pixels/statistics.h"

namespace upres::upscale {

// Whether all colour samples are the same, but for a few levels that a network may smooth away. Alpha does
// not count.
bool is_flat(const ImageView& picture);

// Errors: device: NaN or infinite samples (how many), or a flat result of a picture that is not flat.
Status check_result(const kernels::Statistics& statistics, bool input_is_flat);

}  // namespace upres::upscale
