// Whether the functions of a module are whole.
#pragma once

#include "spirv/module.h"

namespace spirv {

// Functions and their blocks begin and end in turn, and the last one ends within the module (SPIR-V 1.6,
// section 2.4, logical layout): a module that was cut short inside a function is refused here and not by a
// driver, some of which crash. What the instructions of a block do is for validate.h.
Result<void> check_functions(const Module& module);

}  // namespace spirv
