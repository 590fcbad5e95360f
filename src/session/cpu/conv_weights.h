// What the ways to compute a convolution need to know of its weights.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace upres::session::cpu {

// For Element::bf16_split: [out][in * 3][ky][kx] from [out][in][ky][kx], so that (high, low, high) parts of
// the input meet (high, high, low) parts of the weights. What is left out is low times low.
std::vector<float> split_weights(const graph::Conv& conv);

// Samples up to this magnitude cannot bring any sum of the convolution out of the finite numbers, in whatever
// order it is taken, f32 or bf16; -1 where no magnitude is safe.
float safe_magnitude(const graph::Conv& conv);

}  // namespace upres::session::cpu
