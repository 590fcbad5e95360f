// Rules for modules that need no knowledge of what the instructions do.
#pragma once

#include "spirv/module.h"

namespace spirv {

// Modules with KHR cooperative matrices, for want of a validator that knows them. Checked: every instruction
// is known and has operands of the right number and form; every id is below the bound and defined exactly
// once; what is used is defined before, or anywhere in the same function where the specification lets it come
// later (labels, phis, calls, names, decorations); nothing is used outside its function; result types are
// types, and operands inside functions are not. Not checked: that types fit, control flow, decorations, and
// the memory operands of cooperative matrix loads and stores.
Result<void> check_structure(const Module& module);

}  // namespace spirv
