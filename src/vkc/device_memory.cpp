#include "vkc/device_memory.h"

#include <utility>

#include "vkc/memory_types.h"

namespace vkc::detail {
namespace {

// Device memory that the host sees anyway is mapped; images are never mapped.
bool shares_host_memory(const DeviceState& device) {
  const DeviceType type = device.properties().type;
  return type == DeviceType::integrated || type == DeviceType::software;
}

Result<VkDeviceMemory> allocate_of_type(DeviceState& device, const VkMemoryRequirements& needs,
                                        std::uint32_t type, VkImage image, const std::string& what) {
  auto dedicated = vk_struct<VkMemoryDedicatedAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
  dedicated.image = image;
  auto info = vk_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  if (image != VK_NULL_HANDLE) info.pNext = &dedicated;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const VkResult result = device.vk.AllocateMemory(device.handle, &info, nullptr, &memory);
  if (auto ok = device.check(result, what); !ok) return propagate(ok);
  return memory;
}

}  // namespace

Result<DeviceMemory> DeviceMemory::allocate(DeviceState& device, const VkMemoryRequirements& needs,
                                            MemoryKind kind, VkImage image, const std::string& what) {
  const bool unified = image == VK_NULL_HANDLE && shares_host_memory(device);
  const auto types = suitable_memory_types(device.memory, needs.memoryTypeBits, needs.size, kind, unified);
  const std::string doing = "allocating " + std::to_string(needs.size) + " bytes for " + what;
  if (types.empty())
    return fail(ErrorCode::out_of_memory, doing + " failed: no memory heap of the device is that large");
  if (auto ok = device.memory_allocations.take(what); !ok) return propagate(ok);
  Status last;
  for (const std::uint32_t type : types) {
    const auto memory = allocate_of_type(device, needs, type, image, doing);
    if (memory) return DeviceMemory(device, *memory, device.memory.memoryTypes[type].propertyFlags);
    last = propagate(memory);
    if (last.error().code != ErrorCode::out_of_memory) break;
  }
  device.memory_allocations.give_back();
  return propagate(last);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : device_(other.device_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)), flags_(other.flags_) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  std::swap(flags_, other.flags_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (handle_ == VK_NULL_HANDLE) return;
  device_->vk.FreeMemory(device_->handle, handle_, nullptr);  // unmaps
  device_->memory_allocations.give_back();
}

}  // namespace vkc::detail
