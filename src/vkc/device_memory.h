// Memory of a device, allocated for one buffer or image each.
#pragma once

#include <string>

#include <vkc/buffer.h>

#include "vkc/device_state.h"

namespace vkc::detail {

// Freed by the destructor. Move-only.
class DeviceMemory {
 public:
  // For what `needs` says; suitable types are tried in turn, because a full heap is no reason to give up
  // while another has room. image: whose memory it will be; null for buffers. what: "buffer "x"", for errors.
  // Errors: out_of_memory, limit_exceeded (max_memory_allocation_count), device_lost, vulkan.
  static Result<DeviceMemory> allocate(DeviceState& device, const VkMemoryRequirements& needs,
                                       MemoryKind kind, VkImage image, const std::string& what);
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  [[nodiscard]] VkDeviceMemory handle() const { return handle_; }
  [[nodiscard]] VkMemoryPropertyFlags flags() const { return flags_; }

 private:
  DeviceMemory(DeviceState& device, VkDeviceMemory handle, VkMemoryPropertyFlags flags)
      : device_(&device), handle_(handle), flags_(flags) {}
  DeviceState* device_ = nullptr;
  VkDeviceMemory handle_ = VK_NULL_HANDLE;
  VkMemoryPropertyFlags flags_ = 0;
};

}  // namespace vkc::detail
