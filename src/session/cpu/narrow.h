// Convolutions with few output channels, such as the last one before a pixel shuffle. The direct form
// takes 1.3 times as long for 9 outputs, 2.7 times for 4 (docs/cpu.md).
#pragma once

#include <memory>
#include <string>

#include "session/cpu/convolution.h"

namespace upres::session::cpu {

// Whether make_narrow_convolution can do it and is likely to be faster than the direct form, which pads
// output channels to whole vectors.
bool narrow_suits(const graph::Conv& conv, bool bf16);

// f32 -> f32, or with `bf16` bf16 -> f32 with weights rounded to bf16 and sums in f32.
std::unique_ptr<Convolution> make_narrow_convolution(const graph::Conv& conv, bool bf16);

}  // namespace upres::session::cpu
