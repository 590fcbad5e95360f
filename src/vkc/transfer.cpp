#include <vkc/transfer.h>

#include <algorithm>
#include <cstring>

#include <vkc/commands.h>

#include "vkc/buffer_state.h"
#include "vkc/image_state.h"

namespace vkc {
namespace {

constexpr std::uint64_t kLargestPiece = std::uint64_t{32} << 20;

// Whether `size` bytes fit at the start of the range.
Status check(const Device& device, const BufferRange& range, std::size_t size, const char* what) {
  if (range.state() == nullptr)
    return detail::fail(ErrorCode::invalid_argument, std::string(what) + ": a range of no buffer");
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

Status check(const Device& device, const Image& image, std::size_t size, const char* what) {
  const detail::ImageState& state = *image.state();
  if (state.device != device.state()) {
    return detail::fail(ErrorCode::invalid_argument,
                        std::string(what) + ": " + state.described() + " is of another device");
  }
  if (size == state.size_bytes()) return {};
  return detail::fail(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(size) +
                                                       " bytes are given, and " + state.described() +
                                                       " has " + std::to_string(state.size_bytes()));
}

// Boxes of an image that a piece of that size can hold, one after another as their texels lie in host memory:
// several slices, several rows of a slice, or a part of a row.
std::vector<ImageRegion> pieces_of(const detail::ImageState& image, std::uint64_t piece_bytes) {
  const Extent& all = image.extent;
  const std::uint64_t texels = std::max<std::uint64_t>(1, piece_bytes / image.format.texel_bytes);
  const auto at_most = [](std::uint64_t count, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count, 1, most));
  };
  const std::uint64_t slice = std::uint64_t{all.width} * all.height;
  const Extent step = {at_most(texels, all.width), at_most(texels / all.width, all.height),
                       at_most(texels / slice, all.depth)};
  std::vector<ImageRegion> pieces;
  for (std::uint32_t z = 0; z < all.depth; z += step.depth) {
    for (std::uint32_t y = 0; y < all.height; y += step.height) {
      for (std::uint32_t x = 0; x < all.width; x += step.width) {
        pieces.push_back({{x, y, z},
                          {std::min(step.width, all.width - x), std::min(step.height, all.height - y),
                           std::min(step.depth, all.depth - z)}});
      }
    }
  }
  return pieces;
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

  Status upload(const Image& to, std::span<const std::byte> bytes) {
    for (const ImageRegion& region : pieces_of(*to.state(), buffer_.size_bytes())) {
      const auto piece = static_cast<std::size_t>(to.state()->region_bytes(region.extent));
      std::memcpy(buffer_.mapped().data(), bytes.data(), piece);
      if (auto ok = commands_.reset(); !ok) return ok;
      if (auto ok = commands_.copy(buffer_, to, region); !ok) return ok;
      if (auto ok = run(); !ok) return ok;
      bytes = bytes.subspan(piece);
    }
    return {};
  }

  Status download(const Image& from, std::span<std::byte> bytes) {
    for (const ImageRegion& region : pieces_of(*from.state(), buffer_.size_bytes())) {
      const auto piece = static_cast<std::size_t>(from.state()->region_bytes(region.extent));
      if (auto ok = commands_.reset(); !ok) return ok;
      if (auto ok = commands_.copy(from, buffer_, region); !ok) return ok;
      if (auto ok = run(); !ok) return ok;
      std::memcpy(bytes.data(), buffer_.mapped().data(), piece);
      bytes = bytes.subspan(piece);
    }
    return {};
  }

 private:
  Staging(Buffer buffer, Commands commands) : buffer_(std::move(buffer)), commands_(std::move(commands)) {}

  Status copy(const BufferRange& from, const BufferRange& to) {
    if (auto ok = commands_.reset(); !ok) return ok;
    if (auto ok = commands_.copy(from, to); !ok) return ok;
    return run();
  }

  Status run() {
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

Status upload_bytes(const Device& device, const Image& to, std::span<const std::byte> bytes) {
  if (auto ok = device.state()->alive(); !ok) return ok;
  if (auto ok = check(device, to, bytes.size(), "upload"); !ok) return ok;
  auto staging = Staging::create(device, bytes.size(), MemoryKind::upload);
  if (!staging) return detail::propagate(staging);
  return staging->upload(to, bytes);
}

Status download_bytes(const Device& device, const Image& from, std::span<std::byte> bytes) {
  if (auto ok = device.state()->alive(); !ok) return ok;
  if (auto ok = check(device, from, bytes.size(), "download"); !ok) return ok;
  auto staging = Staging::create(device, bytes.size(), MemoryKind::download);
  if (!staging) return detail::propagate(staging);
  return staging->download(from, bytes);
}

}  // namespace vkc
