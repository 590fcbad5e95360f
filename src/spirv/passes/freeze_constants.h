// Turns specialization constants into ordinary ones.
#pragma once

#include <span>

#include "spirv/constants.h"
#include "spirv/module.h"
#include "spirv/passes/pass.h"

namespace spirv {

// Gives specialization constants their values (by specialization id; others keep their defaults) and makes
// every one a literal: OpSpecConstant* becomes OpConstant*, OpSpecConstantOp is folded, SpecId decorations
// go, and a LocalSizeId becomes a LocalSize, which Vulkan 1.1 devices need. An operation that this library
// cannot compute, or whose result is undefined, stays as an OpSpecConstantOp on literals. Vectors are not
// folded themselves, only what is extracted from them.
//
// Fails, with the module as it was: a value for an id that the module does not have, or two for one; a group
// size that is not a positive number; decoration groups (deprecated since SPIR-V 1.0).
PassOutcome freeze_constants(Module& module, std::span<const SpecValue> values);

}  // namespace spirv
