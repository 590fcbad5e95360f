#include "kernels/elementwise/clip_reference.h"

#include <algorithm>

namespace upres::kernels {

void clip_reference(const graph::Clip& clip, const Tensor& in, Tensor& out) {
  std::ranges::transform(in.as<float>(), out.as<float>().begin(), [&](float value) {
    return value < clip.min ? clip.min : value > clip.max ? clip.max : value;
  });
}

}  // namespace upres::kernels
