// Pixels of callers as the pictures that upres computes on: u8 and aligned u16.
#pragma once

#include <string>

#include "base/error.h"
#include "base/image.h"

namespace upres {

// Errors: usage, naming `what` ("the input"), when the shape or the stride cannot be or `bytes` is too short.
Status check_view(const ImageView& view, std::string_view what);

// "u8"; the number of what is no DType.
std::string type_text(DType dtype);

// Whether any byte of one lies between the first and the last of the other.
bool overlap(const ImageView& a, const ImageView& b);

// The sample type that a picture with samples of this one is computed in: u16 for f32, else itself.
DType computed_dtype(DType dtype);
// Whether the view can be computed on (or into) as it is.
bool is_computable(const ImageView& view);

// A copy that can be: f32 clamped to 0..1 and rounded to u16. Errors: input (NaN, naming the place; memory).
Result<Image> computable_copy(const ImageView& view);

// Copies between views of one size and number of channels; u16 to f32 is divided by 65535.
void copy_samples(const ImageView& from, const MutableImageView& to);

}  // namespace upres
