// Gives a module's entry points another name.
#pragma once

#include <string_view>

#include "spirv/module.h"
#include "spirv/passes/pass.h"

namespace spirv {

// Every entry point gets this name; its function keeps its OpName. Unchanged where they have it already.
//
// Fails, with the module as it was: an entry point whose interface leaves no room for the name.
PassOutcome rename_entry_point(Module& module, std::string_view name);

}  // namespace spirv
