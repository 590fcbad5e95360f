// Random access to the bytes of a file, whether on disk or in memory, and integers in either byte order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace upres::image {

class ByteReader {
 public:
  virtual ~ByteReader() = default;
  [[nodiscard]] virtual uint64_t size_bytes() const = 0;
  // Fills `out` from `offset` on; false if that range is not wholly inside the file or cannot be read.
  virtual bool read_at(uint64_t offset, std::span<uint8_t> out) const = 0;

  // `length_bytes` bytes from `offset` on; nothing if they are not inside the file.
  [[nodiscard]] std::optional<std::vector<std::byte>> bytes_at(uint64_t offset, uint64_t length_bytes) const;

 protected:
  [[nodiscard]] bool contains(uint64_t offset, uint64_t length_bytes) const {
    return offset <= size_bytes() && length_bytes <= size_bytes() - offset;
  }
};

class MemoryReader : public ByteReader {
 public:
  explicit MemoryReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] uint64_t size_bytes() const override { return bytes_.size(); }
  bool read_at(uint64_t offset, std::span<uint8_t> out) const override;

 private:
  std::span<const std::byte> bytes_;
};

// Reads a regular file by its descriptor, which stays the caller's.
class FileReader : public ByteReader {
 public:
  FileReader(int descriptor, uint64_t size_bytes) : descriptor_(descriptor), size_bytes_(size_bytes) {}
  [[nodiscard]] uint64_t size_bytes() const override { return size_bytes_; }
  bool read_at(uint64_t offset, std::span<uint8_t> out) const override;

 private:
  int descriptor_;
  uint64_t size_bytes_;
};

// Unsigned integers from the first bytes of `bytes`, which must be long enough.
inline uint32_t big32(std::span<const uint8_t> bytes) {
  return uint32_t{bytes[0]} << 24U | uint32_t{bytes[1]} << 16U | uint32_t{bytes[2]} << 8U | bytes[3];
}
inline uint32_t big16(std::span<const uint8_t> bytes) { return uint32_t{bytes[0]} << 8U | bytes[1]; }
inline uint32_t little16(std::span<const uint8_t> bytes) { return uint32_t{bytes[1]} << 8U | bytes[0]; }
inline uint32_t little24(std::span<const uint8_t> bytes) {
  return uint32_t{bytes[2]} << 16U | little16(bytes);
}
inline uint32_t little32(std::span<const uint8_t> bytes) {
  return uint32_t{bytes[3]} << 24U | little24(bytes);
}

inline std::span<const uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

inline bool starts_with(std::span<const uint8_t> bytes, std::string_view prefix) {
  return bytes.size() >= prefix.size() && std::memcmp(bytes.data(), prefix.data(), prefix.size()) == 0;
}

// Bytes of a file being put together.
using Bytes = std::vector<std::byte>;

inline void append(Bytes& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}
inline void append(Bytes& to, std::string_view text) { append(to, std::as_bytes(std::span(text))); }
inline void append_big(Bytes& to, uint64_t value, size_t length_bytes) {
  for (size_t i = length_bytes; i > 0; --i)
    to.push_back(static_cast<std::byte>(value >> (8 * (i - 1)) & 0xffU));
}
inline void append_little(Bytes& to, uint64_t value, size_t length_bytes) {
  for (size_t i = 0; i < length_bytes; ++i) to.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffU));
}

}  // namespace upres::image
