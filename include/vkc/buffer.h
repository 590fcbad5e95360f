// Memory that kernels read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include <vkc/device.h>
#include <vkc/error.h>

namespace vkc {

namespace detail {
class BufferState;
}

enum class MemoryKind : std::uint8_t {
  device,    // where kernels are fastest; mapped only where that is the host's memory too (integrated,
             // software)
  upload,    // mapped, for the host to write and the device to read
  download,  // mapped, for the device to write and the host to read (cached where the device can)
};

// A piece of a Buffer: a view, valid while the buffer's memory lives (a Buffer handle may be moved
// meanwhile). A Buffer turns into the range of all of it by itself.
class BufferRange {
 public:
  [[nodiscard]] std::uint64_t offset_bytes() const { return offset_bytes_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // A piece of this piece. One that does not lie inside it is an error where it is used.
  [[nodiscard]] BufferRange range(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    const bool is_inside = offset_bytes <= size_bytes_ && size_bytes <= size_bytes_ - offset_bytes;
    return {buffer_, is_inside ? offset_bytes_ + offset_bytes : kOutside, size_bytes};
  }
  // The offset of a range that was cut from another one and does not lie inside that.
  static constexpr std::uint64_t kOutside = UINT64_MAX;

  BufferRange(detail::BufferState* buffer, std::uint64_t offset_bytes, std::uint64_t size_bytes)
      : buffer_(buffer), offset_bytes_(offset_bytes), size_bytes_(size_bytes) {}
  [[nodiscard]] detail::BufferState* state() const { return buffer_; }
  // The same bytes of the same buffer.
  friend bool operator==(const BufferRange&, const BufferRange&) = default;

 private:
  detail::BufferState* buffer_;
  std::uint64_t offset_bytes_;
  std::uint64_t size_bytes_;
};

// A shared handle on a storage and uniform buffer with memory of its own. Commands that use it keep it alive.
// Threads: the handle's members from any thread; who writes mapped memory while the device uses it is the
// caller's care.
class Buffer {
 public:
  // size_bytes: 1 to limits.max_buffer_bytes and max_memory_allocation_bytes; contents are undefined. `name`
  // is for debug tools and errors. Errors: invalid_argument (size 0, no such kind), limit_exceeded,
  // out_of_memory, device_lost, vulkan.
  static Result<Buffer> create(const Device& device, std::uint64_t size_bytes,
                               MemoryKind kind = MemoryKind::device, std::string_view name = {});

  [[nodiscard]] std::uint64_t size_bytes() const;
  [[nodiscard]] MemoryKind kind() const;
  // The whole buffer in host memory; empty if it is not mapped. What the host wrote before a submit is seen
  // by it; what the device wrote is here once the submission was waited for (caches are flushed and
  // invalidated by submit and wait).
  [[nodiscard]] std::span<std::byte> mapped() const;
  // The same as elements; trailing bytes that do not fill one are left out.
  template <typename T>
  [[nodiscard]] std::span<T> mapped_as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<std::byte> bytes = mapped();
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  [[nodiscard]] BufferRange range(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    return {state_.get(), offset_bytes, size_bytes};
  }
  operator BufferRange() const { return range(0, size_bytes()); }

  explicit Buffer(std::shared_ptr<detail::BufferState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::BufferState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::BufferState> state_;
};

}  // namespace vkc
