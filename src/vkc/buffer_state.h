// What a Buffer handle refers to.
#pragma once

#include <memory>
#include <string>

#include <vkc/buffer.h>

#include "vkc/device_memory.h"
#include "vkc/device_state.h"

namespace vkc::detail {

class BufferState : public std::enable_shared_from_this<BufferState> {
 public:
  BufferState(std::shared_ptr<DeviceState> device, std::uint64_t size_bytes, MemoryKind kind,
              std::string_view name)
      : device(std::move(device)), size_bytes(size_bytes), kind(kind), name(name) {}
  BufferState(const BufferState&) = delete;
  BufferState& operator=(const BufferState&) = delete;
  ~BufferState();

  Status allocate();
  // Between host caches and memory, for memory that does not do it by itself.
  Status flush();
  Status invalidate();

  // `buffer "weights"` or `a buffer`, for messages.
  [[nodiscard]] std::string described() const;
  // Whether the range is not empty and lies inside. Errors: invalid_argument, with `what` in front.
  Status check_range(const BufferRange& range, std::string_view what) const;

  std::shared_ptr<DeviceState> device;
  std::uint64_t size_bytes;
  MemoryKind kind;
  std::string name;
  VkBuffer handle = VK_NULL_HANDLE;
  DeviceMemory memory;
  std::byte* mapped = nullptr;
  bool coherent = true;  // no flush and invalidate needed

 private:
  Status check_size() const;
  Status create_handle();
  Status allocate_memory();
  Status map(VkMemoryPropertyFlags flags);
};

}  // namespace vkc::detail
