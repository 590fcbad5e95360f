#include "plan/memory.h"

#include <algorithm>
#include <numeric>

namespace upres::plan {
namespace {

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
};

std::vector<size_t> largest_first(std::span<const Lifetime> lifetimes) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].size_bytes > lifetimes[b].size_bytes; });
  return order;
}

// Lowest aligned offset of a gap of size_bytes between the ranges in use.
uint64_t lowest_gap(std::vector<Range>& used, uint64_t size_bytes, uint64_t alignment_bytes) {
  std::sort(used.begin(), used.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  uint64_t offset = 0;
  for (const Range& range : used) {
    if (offset + size_bytes <= range.begin) break;
    offset = std::max(offset, align_up(range.end, alignment_bytes));
  }
  return offset;
}

}  // namespace

bool alive_together(const Lifetime& a, const Lifetime& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

Placement place(std::span<const Lifetime> lifetimes, uint64_t alignment_bytes) {
  Placement placement;
  placement.offsets_bytes.resize(lifetimes.size());
  std::vector<size_t> placed;
  std::vector<Range> used;
  for (const size_t index : largest_first(lifetimes)) {
    const Lifetime& lifetime = lifetimes[index];
    used.clear();
    for (const size_t other : placed) {
      if (!alive_together(lifetime, lifetimes[other])) continue;
      const uint64_t begin = placement.offsets_bytes[other];
      used.push_back({begin, begin + lifetimes[other].size_bytes});
    }
    const uint64_t offset = lowest_gap(used, lifetime.size_bytes, alignment_bytes);
    placement.offsets_bytes[index] = offset;
    placement.arena_bytes = std::max(placement.arena_bytes, offset + lifetime.size_bytes);
    placed.push_back(index);
  }
  return placement;
}

}  // namespace upres::plan
