// 64-bit content hashes for cache keys (XXH3; not for security).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace upres {

uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed = 0);
uint64_t hash_text(std::string_view text, uint64_t seed = 0);

// 16 lower-case hexadecimal digits.
std::string hex(uint64_t value);

}  // namespace upres
