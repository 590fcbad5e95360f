// IEEE 754 binary16 ("half") to and from binary32, rounding to nearest even; subnormals, infinities and NaN
// kept.
#pragma once

#include <cstdint>

namespace upres {

// The exact value of the half with these bits.
float half_to_float(uint16_t bits);

// The nearest half; overflow gives infinity, NaN stays a (quiet) NaN.
uint16_t float_to_half(float value);

}  // namespace upres
