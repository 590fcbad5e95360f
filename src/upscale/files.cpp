#include "upscale/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "graph/printable.h"

namespace upres::upscale {
namespace {

constexpr size_t kNameBytes = 4096;

tl::unexpected<Error> failed(const std::filesystem::path& path, std::string_view what, int error) {
  return fail(ErrorCode::input, graph::printable(path.native(), kNameBytes) + ": " + std::string(what) +
                                    ": " + std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  [[nodiscard]] int get() const { return value_; }
  int close() { return ::close(std::exchange(value_, -1)); }

 private:
  int value_;
};

// Reads to the end; the size that the file system tells may be wrong (pipes, /proc).
Result<std::vector<std::byte>> read_all(int descriptor, const std::filesystem::path& path,
                                        uint64_t max_bytes) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 65536> block;
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(path, "cannot be read", errno);
    if (count == 0) return bytes;
    bytes.insert(bytes.end(), block.begin(), block.begin() + count);
    if (bytes.size() > max_bytes) return failed(path, "cannot be read", EFBIG);
  }
}

Status write_all(int descriptor, const std::filesystem::path& path, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(path, "cannot be written", errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return {};
}

// A new file in the folder of `path`, with the permissions that the umask leaves. errno tells why there is
// none.
int create_temporary(const std::filesystem::path& path, std::filesystem::path& temporary) {
  constexpr int kAttempts = 100;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string unique =
        std::to_string(::getpid()) + "-" + std::to_string(now) + "-" + std::to_string(attempt);
    temporary = path.parent_path() / (".upres-" + hex(hash_text(unique)));
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

Status write_and_rename(const std::filesystem::path& path, const std::filesystem::path& temporary, int opened,
                        std::span<const std::byte> bytes) {
  Descriptor descriptor(opened);
  if (auto written = write_all(descriptor.get(), path, bytes); !written) return written;
  if (::fsync(descriptor.get()) != 0 || descriptor.close() != 0 ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    return failed(path, "cannot be written", errno);
  }
  return {};
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, uint64_t max_bytes) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return failed(path, "cannot be opened", errno);
  try {
    return read_all(descriptor.get(), path, max_bytes);
  } catch (const std::exception&) {
    return failed(path, "cannot be read", ENOMEM);
  }
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::filesystem::path temporary;
  const int descriptor = create_temporary(path, temporary);
  if (descriptor < 0) return failed(path, "cannot be written", errno);
  auto written = write_and_rename(path, temporary, descriptor, bytes);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace upres::upscale
