// Which kinds of a device's memory suit a buffer.
#pragma once

#include <cstdint>
#include <vector>

#include <vkc/buffer.h>

#include "vkc/vulkan_api.h"

namespace vkc::detail {

// Indices of memory types for a buffer, the best first. Upload and download buffers get mappable types only;
// device buffers get mappable ones first where the device shares the host's memory (`unified`). Types for
// special purposes, and heaps smaller than size_bytes, are left out. allowed:
// VkMemoryRequirements::memoryTypeBits.
std::vector<std::uint32_t> suitable_memory_types(const VkPhysicalDeviceMemoryProperties& memory,
                                                 std::uint32_t allowed, std::uint64_t size_bytes,
                                                 MemoryKind kind, bool unified);

}  // namespace vkc::detail
