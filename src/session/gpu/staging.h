// Between tensors as the host has them (any row stride) and as the device has them
// (kernels::device_row_bytes).
#pragma once

#include <cstddef>
#include <span>

#include "base/error.h"
#include "base/tensor.h"
#include "session/gpu/copy_threads.h"

namespace upres::session {

// Checks that a view is what the graph's value wants: type, extent, stride, and bytes enough. Errors: model
// (another extent), usage (another type, a view too small for its own sizes).
Status check_view(const TensorType& type, const Extent& extent, const TensorView& view);

// `device` holds kernels::device_bytes(type, extent); padding at the end of rows is left as it is.
void copy_to_device(const TensorView& view, std::span<std::byte> device, CopyThreads& threads);
void copy_from_device(std::span<const std::byte> device, const MutableTensorView& view, CopyThreads& threads);

}  // namespace upres::session
