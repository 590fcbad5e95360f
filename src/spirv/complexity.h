// Whether a module is as small for its driver as it is by its words.
#pragma once

#include "spirv/module.h"

namespace spirv {

// A few hundred bytes of nested structures, calls or arrays can stand for gigabytes or hours of work in a
// validator or driver, because both spell them out. So that time and memory stay in proportion to the module:
//
//   - ids are not much sparser than the module's words;
//   - no type has, with everything inside it counted as often as it occurs (arrays: their elements at most 16
//     times), more than a million parts;
//   - the variables of functions and invocations have 262,144 scalars at most in all (1 MiB of floats);
//   - what instructions make as a whole (loaded arrays, constants of structures) has a million scalars at
//     most in all, vectors and the like aside;
//   - no function calls itself, not even by others, and none has more than a million instructions with those
//     that it calls put in their place.
//
// No compiler's kernel comes near these. Errors: which of them is exceeded, and by what.
Result<void> check_complexity(const Module& module);

}  // namespace spirv
