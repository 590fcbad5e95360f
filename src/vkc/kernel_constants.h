// Names and values of specialization constants, checked against a module. No device needed.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <vkc/error.h>
#include <vkc/kernel.h>
#include <vkc/kernel_source.h>

#include "spirv/reflect.h"

namespace vkc::detail {

// The values to freeze into the module, by specialization id: every constant of the module exactly once.
// Names that are `declared` but not in the module are accepted and ignored, as is a group size whose
// constants the module lacks (whoever calls compares the frozen module's group size). Errors:
// invalid_argument (unknown, doubled or missing name; a value that does not fit), invalid_module (two
// constants of one name, or one without a name).
Result<std::vector<spirv::SpecValue>> resolve_constants(std::string_view kernel,
                                                        std::span<const spirv::SpecConstant> in_module,
                                                        std::span<const DeclaredConstant> declared,
                                                        std::span<const Constant> given,
                                                        const std::optional<KernelGroupSize>& group_size);

// Whether two declared or reflected things share a name that callers use. Errors: invalid_argument.
Status check_declared_names(const KernelSource& source);

// "a", "b", "c"; "none" for an empty list.
std::string quoted_list(std::span<const std::string> names);

}  // namespace vkc::detail
