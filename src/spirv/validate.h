// Whether a module may be handed to a driver. Drivers trust what they are given, and many crash on less.
//
// The rules are those of the SPIR-V specification and of the appendix "Vulkan Environment for SPIR-V" of the
// Vulkan specification, checked by the validator of SPIRV-Tools.
#pragma once

#include "spirv/module.h"

namespace spirv {

// Checks the whole module: every instruction's operands, types, ids, layout, decorations and control flow,
// for the newest Vulkan whose SPIR-V is `newest_version` (1.3: Vulkan 1.1; 1.4: the same with
// VK_KHR_spirv_1_4; 1.5: Vulkan 1.2; 1.6: Vulkan 1.3).
//
// A release of SPIRV-Tools knows the instructions of its day. Modules that declare CooperativeMatrixKHR,
// where it does not know that capability, are checked by check_structure (structure.h) instead, which says
// what it checks: ids and numbers of operands, but no types. Modules with any other capability that the
// release does not know are errors.
//
// Not checked, because no rule of SPIR-V forbids it: what the kernel computes, whether it ends, and whether
// it stays inside its buffers.
//
// Time and memory are bounded for hostile modules: see complexity.h.
//
// Errors: the first rule that is broken, with the instruction, in one line.
Result<void> validate(const Module& module, Version newest_version);

}  // namespace spirv
