#include "vkc/memory_types.h"

#include <algorithm>

namespace vkc::detail {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
// Anything else needs a feature or has a price: lazily allocated, protected, uncached on the device.
constexpr VkMemoryPropertyFlags kOrdinary = kLocal | kVisible | kCoherent | kCached;

bool has(VkMemoryPropertyFlags flags, VkMemoryPropertyFlags wanted) { return (flags & wanted) == wanted; }

// Higher is better; negative: unsuitable.
int score(VkMemoryPropertyFlags flags, MemoryKind kind, bool unified) {
  switch (kind) {
    case MemoryKind::device: {
      int result = has(flags, kLocal) ? 8 : 0;
      // Mapped where host and device share memory anyway; elsewhere plain device memory, and no scarce window
      // into it.
      if (unified) {
        result += has(flags, kVisible | kCoherent) ? 4 + (has(flags, kCached) ? 2 : 0) : 0;
      } else {
        result += has(flags, kVisible) ? 0 : 4;
      }
      return result;
    }
    case MemoryKind::upload:
      if (!has(flags, kVisible)) return -1;
      return (has(flags, kCoherent) ? 8 : 0) + (has(flags, kLocal) ? 0 : 4) + (has(flags, kCached) ? 0 : 1);
    case MemoryKind::download:
      if (!has(flags, kVisible)) return -1;
      return (has(flags, kCached) ? 8 : 0) + (has(flags, kCoherent) ? 4 : 0) + (has(flags, kLocal) ? 0 : 1);
  }
  return -1;
}

}  // namespace

std::vector<std::uint32_t> suitable_memory_types(const VkPhysicalDeviceMemoryProperties& memory,
                                                 std::uint32_t allowed, std::uint64_t size_bytes,
                                                 MemoryKind kind, bool unified) {
  std::vector<std::uint32_t> types;
  const auto score_of = [&](std::uint32_t type) {
    return score(memory.memoryTypes[type].propertyFlags, kind, unified);
  };
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const VkMemoryType& candidate = memory.memoryTypes[type];
    const bool ordinary = (candidate.propertyFlags & ~kOrdinary) == 0;
    const bool fits = memory.memoryHeaps[candidate.heapIndex].size >= size_bytes;
    if ((allowed & (1U << type)) != 0 && ordinary && fits && score_of(type) >= 0) types.push_back(type);
  }
  // Stable: among equals, Vulkan's own order says which is faster.
  std::stable_sort(types.begin(), types.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return score_of(a) > score_of(b); });
  return types;
}

}  // namespace vkc::detail
