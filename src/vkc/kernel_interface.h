// What a kernel's module says about itself, with its constants set and its names checked. Needs no device.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vkc/kernel.h>

#include "spirv/module.h"
#include "spirv/reflect.h"
#include "vkc/kernel_limits.h"

namespace vkc::detail {

struct FrozenModule {
  spirv::Module module;
  spirv::Reflection reflection;
};

// Reads the module, sets every constant, and checks names, group size and what the device can do, and, unless
// it is trusted, that the outcome is valid SPIR-V. Errors: those of Kernel::create that need no driver.
Result<FrozenModule> freeze_kernel(const KernelSource& source, std::span<const Constant> constants,
                                   const std::optional<KernelGroupSize>& group_size,
                                   const DeviceAbilities& device, bool trusted = false);

KernelGroupSize group_size_of(const spirv::Reflection& frozen);
// Bindings that the source declares and the module lacks.
std::vector<std::string> dropped_names(const KernelSource& source, const spirv::Reflection& frozen);

}  // namespace vkc::detail
