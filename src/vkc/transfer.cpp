#include <vkc/transfer.h>

#include <algorithm>
#include <cstring>

#include <vkc/commands.h>

#include "vkc/buffer_state.h"

namespace vkc {
namespace {

constexpr std::uint64_t kLargestPiece = std::uint64_t{32} << 20;

// Whether `size` bytes fit at the start of the range.
Status check(const Device& device, const BufferRange& range, std::size_t size, const char* what) {
  const detail::BufferState& buffer = *range.state();
  if (buffer.device != device.state()) {
    return detail::fail(ErrorCode::invalid_argument,
                        std::string(what) + ": " + buffer.described() + " is of another device");
  }
  if (auto ok = buffer.check_range(range, what); !ok) return ok;
  if (size <= range.size_bytes()) return {};
  return detail::fail(ErrorCode::invalid_argument,
                      std::string(what) + ": " + std::to_string(size) + " bytes do not fit into " +
                          std::to_string(range.size_bytes()) + " of " + buffer.described());
}

// Copies between the device's memory and the host's by way of a staging buffer, piece by piece.
class Staging {
 public:
  static Result<Staging> create(const Device& device, std::uint64_t size_bytes, MemoryKind kind) {
    auto buffer = Buffer::create(device, std::min(size_bytes, kLargestPiece), kind, "staging");
    if (!buffer) return detail::propagate(buffer);
    auto commands = Commands::create(device, {Barriers::automatic, "staging"});
    if (!commands) return detail::propagate(commands);
    return Staging(std::move(*buffer), std::move(*commands));
  }

  Status upload(const BufferRange& to, std::span<const std::byte> bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const std::size_t piece = std::min<std::size_t>(bytes.size() - done, buffer_.mapped().size());
      std::memcpy(buffer_.mapped().data(), bytes.data() + done, piece);
      if (auto ok = copy(buffer_.range(0, piece), to.range(done, piece)); !ok) return ok;
      done += piece;
    }
    return {};
  }

  Status download(const BufferRange& from, std::span<std::byte> bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const std::size_t piece = std::min<std::size_t>(bytes.size() - done, buffer_.mapped().size());
      if (auto ok = copy(from.range(done, piece), buffer_.range(0, piece)); !ok) return ok;
      std::memcpy(bytes.data() + done, buffer_.mapped().data(), piece);
      done += piece;
    }
    return {};
  }

 private:
  Staging(Buffer buffer, Commands commands) : buffer_(std::move(buffer)), commands_(std::move(commands)) {}

  Status copy(const BufferRange& from, const BufferRange& to) {
    if (auto ok = commands_.reset(); !ok) return ok;
    if (auto ok = commands_.copy(from, to); !ok) return ok;
    const auto submission = commands_.submit();
    if (!submission) return detail::propagate(submission);
    return submission->wait();
  }

  Buffer buffer_;
  Commands commands_;
};

}  // namespace

Status upload_bytes(const Device& device, const BufferRange& to, std::span<const std::byte> bytes) {
  if (auto ok = device.state()->alive(); !ok) return ok;
  if (bytes.empty()) return {};
  if (auto ok = check(device, to, bytes.size(), "upload"); !ok) return ok;
  if (std::byte* mapped = to.state()->mapped) {
    std::memcpy(mapped + to.offset_bytes(), bytes.data(), bytes.size());
    return {};
  }
  auto staging = Staging::create(device, bytes.size(), MemoryKind::upload);
  if (!staging) return detail::propagate(staging);
  return staging->upload(to, bytes);
}

Status download_bytes(const Device& device, const BufferRange& from, std::span<std::byte> bytes) {
  if (auto ok = device.state()->alive(); !ok) return ok;
  if (bytes.empty()) return {};
  if (auto ok = check(device, from, bytes.size(), "download"); !ok) return ok;
  if (const std::byte* mapped = from.state()->mapped) {
    std::memcpy(bytes.data(), mapped + from.offset_bytes(), bytes.size());
    return {};
  }
  auto staging = Staging::create(device, bytes.size(), MemoryKind::download);
  if (!staging) return detail::propagate(staging);
  return staging->download(from, bytes);
}

}  // namespace vkc
