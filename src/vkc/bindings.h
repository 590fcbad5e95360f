// Whether what is bound to a kernel's name is what the kernel reads or writes there.
#pragma once

#include <string>

#include <vkc/kernel.h>

#include "vkc/kernel_state.h"

namespace vkc::detail {

// Checks one resource against the slot that it is bound to. Errors: invalid_argument (another kind, device,
// number of dimensions, format or use; a range outside its buffer), limit_exceeded (range, alignment).
Status check_binding(const KernelState& kernel, const KernelSlot& slot, const Resource& resource);

// Whether the sampler can read the image. Errors: invalid_argument.
Status check_sampled(const KernelState& kernel, std::string_view binding, const ImageState& image,
                     const SamplerState& sampler);

}  // namespace vkc::detail
