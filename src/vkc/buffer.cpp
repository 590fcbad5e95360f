#include <vkc/buffer.h>

#include <algorithm>

#include "vkc/buffer_state.h"

namespace vkc {
namespace detail {
namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                      VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT;

}  // namespace

BufferState::~BufferState() { device->vk.DestroyBuffer(device->handle, handle, nullptr); }

std::string BufferState::described() const { return name.empty() ? "a buffer" : "buffer " + in_quotes(name); }

Status BufferState::check_size() const {
  if (size_bytes == 0) return fail(ErrorCode::invalid_argument, described() + " of 0 bytes");
  const DeviceLimits& limits = device->limits();
  if (size_bytes > limits.max_buffer_bytes) {
    return tl::unexpected(limit_error("size in bytes of " + described(), size_bytes, "max_buffer_bytes",
                                      limits.max_buffer_bytes));
  }
  if (size_bytes > limits.max_memory_allocation_bytes) {
    return tl::unexpected(limit_error("size in bytes of " + described(), size_bytes,
                                      "max_memory_allocation_bytes", limits.max_memory_allocation_bytes));
  }
  return {};
}

Status BufferState::allocate() {
  if (auto ok = device->alive(); !ok) return ok;
  if (auto ok = check_enumerator("creating " + described(), "kind", kind, MemoryKind::download, "MemoryKind");
      !ok)
    return ok;
  if (auto ok = check_size(); !ok) return ok;
  if (auto ok = create_handle(); !ok) return ok;
  if (auto ok = allocate_memory(); !ok) return ok;
  return device->check(device->vk.BindBufferMemory(device->handle, handle, memory.handle(), 0),
                       "vkBindBufferMemory");
}

Status BufferState::create_handle() {
  auto info = vk_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size_bytes;
  info.usage = kUsage;
  device->share_among_queues(info);
  const VkResult result = device->vk.CreateBuffer(device->handle, &info, nullptr, &handle);
  if (auto ok =
          device->check(result, "creating " + described() + " of " + std::to_string(size_bytes) + " bytes");
      !ok)
    return ok;
  device->set_name(VK_OBJECT_TYPE_BUFFER, handle, name);
  return {};
}

Status BufferState::allocate_memory() {
  VkMemoryRequirements needs{};
  device->vk.GetBufferMemoryRequirements(device->handle, handle, &needs);
  auto allocated = DeviceMemory::allocate(*device, needs, kind, VK_NULL_HANDLE, described());
  if (!allocated) return propagate(allocated);
  memory = std::move(*allocated);
  return map(memory.flags());
}

Status BufferState::map(VkMemoryPropertyFlags flags) {
  coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return {};
  if (kind == MemoryKind::device && !coherent) return {};
  void* address = nullptr;
  const VkResult result =
      device->vk.MapMemory(device->handle, memory.handle(), 0, VK_WHOLE_SIZE, 0, &address);
  if (auto ok = device->check(result, "mapping " + described()); !ok) return ok;
  mapped = static_cast<std::byte*>(address);
  return {};
}

Status BufferState::flush() {
  if (coherent || mapped == nullptr) return {};
  const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory.handle(), 0,
                                  VK_WHOLE_SIZE};
  return device->check(device->vk.FlushMappedMemoryRanges(device->handle, 1, &range),
                       "flushing " + described());
}

Status BufferState::invalidate() {
  if (coherent || mapped == nullptr) return {};
  const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory.handle(), 0,
                                  VK_WHOLE_SIZE};
  return device->check(device->vk.InvalidateMappedMemoryRanges(device->handle, 1, &range),
                       "invalidating " + described());
}

Status BufferState::check_range(const BufferRange& range, std::string_view what) const {
  const std::uint64_t offset = range.offset_bytes();
  const std::uint64_t size = range.size_bytes();
  if (size > 0 && offset <= size_bytes && size <= size_bytes - offset) return {};
  if (offset == BufferRange::kOutside) {
    return fail(ErrorCode::invalid_argument, std::string(what) + ": the range of " + std::to_string(size) +
                                                 " bytes of " + described() +
                                                 " is not inside the range that it was cut from");
  }
  return fail(ErrorCode::invalid_argument, std::string(what) + ": the range of " + std::to_string(size) +
                                               " bytes at " + std::to_string(offset) + " is not inside " +
                                               described() + " of " + std::to_string(size_bytes) + " bytes");
}

}  // namespace detail

Result<Buffer> Buffer::create(const Device& device, std::uint64_t size_bytes, MemoryKind kind,
                              std::string_view name) {
  auto state = std::make_shared<detail::BufferState>(device.state(), size_bytes, kind, name);
  if (auto allocated = state->allocate(); !allocated) return detail::propagate(allocated);
  return Buffer(std::move(state));
}

std::uint64_t Buffer::size_bytes() const { return state_->size_bytes; }
MemoryKind Buffer::kind() const { return state_->kind; }

std::span<std::byte> Buffer::mapped() const {
  if (state_->mapped == nullptr) return {};
  return {state_->mapped, static_cast<std::size_t>(state_->size_bytes)};
}

}  // namespace vkc
