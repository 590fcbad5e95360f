#include "image/byte_reader.h"

#include <unistd.h>

#include <cerrno>

namespace upres::image {

std::optional<std::vector<std::byte>> ByteReader::bytes_at(uint64_t offset, uint64_t length_bytes) const {
  if (!contains(offset, length_bytes)) return std::nullopt;
  std::vector<std::byte> bytes(length_bytes);
  if (!read_at(offset, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()})) return std::nullopt;
  return bytes;
}

bool MemoryReader::read_at(uint64_t offset, std::span<uint8_t> out) const {
  if (!contains(offset, out.size())) return false;
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return true;
}

bool FileReader::read_at(uint64_t offset, std::span<uint8_t> out) const {
  if (!contains(offset, out.size())) return false;
  while (!out.empty()) {
    const ssize_t got = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
  return true;
}

}  // namespace upres::image
