// Rectangular parts of tensors in host memory.
#pragma once

#include <optional>
#include <vector>

#include "base/tensor.h"

namespace upres::upscale {

// The part of `view` that begins at `origin` as a view of its own; nothing where the layout cannot say it
// (part of the height of several planes). The part must lie inside.
std::optional<TensorView> window_of(const TensorView& view, const Origin& origin, const Extent& extent);
std::optional<MutableTensorView> window_of(const MutableTensorView& view, const Origin& origin,
                                           const Extent& extent);

// Copies `extent` pixels of all channels, from `from_origin` to `to_origin`. The types are the same.
void copy_window(const TensorView& from, const Origin& from_origin, const MutableTensorView& to,
                 const Origin& to_origin, const Extent& extent);

}  // namespace upres::upscale
