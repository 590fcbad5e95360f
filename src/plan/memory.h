// Placing tensors that live at different times into one arena.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace upres::plan {

// A tensor's life: from the step that writes it to the last that reads it, both included.
struct Lifetime {
  uint64_t size_bytes = 0;
  uint32_t first_step = 0;
  uint32_t last_step = 0;
};

struct Placement {
  std::vector<uint64_t> offsets_bytes;  // one per lifetime
  uint64_t arena_bytes = 0;
};

// The next multiple of `alignment` (0 counts as 1).
constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

bool alive_together(const Lifetime& a, const Lifetime& b);

// Offsets such that tensors alive at the same step do not overlap; largest first, lowest offset that is free.
Placement place(std::span<const Lifetime> lifetimes, uint64_t alignment_bytes);

}  // namespace upres::plan
