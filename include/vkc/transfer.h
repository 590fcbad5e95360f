// Blocking copies between host memory and buffers or images, for set-up code and tests. A pipeline that
// overlaps transfers with work uses upload and download buffers and Commands::copy instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <vkc/buffer.h>
#include <vkc/device.h>
#include <vkc/error.h>
#include <vkc/image.h>

namespace vkc {

// Writes `bytes` to the start of `to`, through a staging buffer (of at most 32 MiB, in pieces) where the
// buffer is not mapped, and waits. The buffer must not be in use by the device. Errors: invalid_argument
// (does not fit into the range), out_of_memory, device_lost.
Status upload_bytes(const Device& device, const BufferRange& to, std::span<const std::byte> bytes);
// Reads the start of `from` into all of `bytes`, the same way.
Status download_bytes(const Device& device, const BufferRange& from, std::span<std::byte> bytes);

// All texels of an image, row after row without gaps: exactly image.size_bytes(). Errors: invalid_argument
// (another size), out_of_memory, device_lost.
Status upload_bytes(const Device& device, const Image& to, std::span<const std::byte> bytes);
Status download_bytes(const Device& device, const Image& from, std::span<std::byte> bytes);

template <typename T>
concept Element = std::is_trivially_copyable_v<T>;
template <typename T>
concept ElementRange =
    std::ranges::contiguous_range<T> && std::ranges::sized_range<T> && Element<std::ranges::range_value_t<T>>;

namespace detail {

// Memory for as many elements as fit into the size; the error out_of_memory where the host has none.
template <Element T>
Result<std::vector<T>> host_elements(std::uint64_t size_bytes) {
  try {
    return std::vector<T>(static_cast<std::size_t>(size_bytes / sizeof(T)));
  } catch (const std::exception&) {  // bad_alloc, length_error
    return tl::unexpected(Error{ErrorCode::out_of_memory, "the host has no memory for a download of " +
                                                              std::to_string(size_bytes) + " bytes"});
  }
}

}  // namespace detail

// The same for elements: `upload(device, buffer, values)` with a vector, array or span.
template <ElementRange Values>
Status upload(const Device& device, const BufferRange& to, const Values& values) {
  return upload_bytes(device, to, std::as_bytes(std::span(values)));
}
// `auto values = download<float>(device, buffer)`: as many elements as fit into the range.
template <Element T>
Result<std::vector<T>> download(const Device& device, const BufferRange& from) {
  auto values = detail::host_elements<T>(from.size_bytes());
  if (!values) return values;
  const Status status = download_bytes(device, from, std::as_writable_bytes(std::span(*values)));
  if (!status) return tl::unexpected(status.error());
  return values;
}

// The same for images: `upload(device, image, bytes)`, `download<std::uint8_t>(device, image)`.
template <ElementRange Values>
Status upload(const Device& device, const Image& to, const Values& values) {
  return upload_bytes(device, to, std::as_bytes(std::span(values)));
}
template <Element T>
Result<std::vector<T>> download(const Device& device, const Image& from) {
  auto values = detail::host_elements<T>(from.size_bytes());
  if (!values) return values;
  const Status status = download_bytes(device, from, std::as_writable_bytes(std::span(*values)));
  if (!status) return tl::unexpected(status.error());
  return values;
}

}  // namespace vkc
