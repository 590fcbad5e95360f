// Asks for no more storage of small types than a module uses.
#pragma once

#include "spirv/module.h"
#include "spirv/passes/pass.h"

namespace spirv {

// Compilers ask for small types in uniform and storage buffers where storage buffers alone have them, and
// devices lack the former: in a module without uniform buffers, UniformAndStorageBuffer16BitAccess
// becomes StorageBuffer16BitAccess, and the same for 8 bits.
PassOutcome narrow_capabilities(Module& module);

}  // namespace spirv
