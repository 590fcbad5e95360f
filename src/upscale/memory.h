// Memory of this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace upres::upscale {

// What this process may still take: free memory, or what is left of its control group's or address space
// limit if that is less. Nothing where the system does not tell.
std::optional<uint64_t> available_memory_bytes();

// "1.5 GiB".
std::string memory_text(uint64_t bytes);

}  // namespace upres::upscale
