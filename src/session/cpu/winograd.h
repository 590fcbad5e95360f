// 3x3 convolutions by Winograd's minimal filtering: 2.25 times fewer multiplications than the direct form.
// Without it the seed network takes 1.6 times as long in f32, 1.4 times in bf16 (docs/cpu.md).
#pragma once

#include <memory>
#include <string>

#include "session/cpu/convolution.h"

namespace upres::session::cpu {

// Whether make_winograd_convolution can do it and is likely to be faster than the direct form.
bool winograd_suits(const graph::Conv& conv, bool bf16);

// Before its ReLU, a pixel whose kernel covers NaN or infinity is NaN or infinite, but infinity may have
// become NaN, as differences are taken. Other pixels are as they would be without it.
//
// Input f32; output f32 or bf16. With `bf16` the transformed input and weights are rounded to bf16, sums are
// f32; else all is f32. Errors: device.
Result<std::unique_ptr<Convolution>> make_winograd_convolution(const graph::Conv& conv, bool bf16,
                                                               Element out, std::string label);

}  // namespace upres::session::cpu
