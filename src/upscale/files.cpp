#include "upscale/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <system_error>

#include "base/display_name.h"
#include "base/pending_file.h"

namespace upres::upscale {
namespace {

tl::unexpected<Error> cannot_read(const std::filesystem::path& path, int error) {
  return fail(ErrorCode::input,
              "cannot read " + display_name(path) + ": " + std::generic_category().message(error));
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
    if (count < 0) return cannot_read(path, errno);
    if (count == 0) return bytes;
    bytes.insert(bytes.end(), block.begin(), block.begin() + count);
    if (bytes.size() > max_bytes) return cannot_read(path, EFBIG);
  }
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, uint64_t max_bytes) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return cannot_read(path, errno);
  try {
    return read_all(descriptor.get(), path, max_bytes);
  } catch (const std::exception&) {
    return cannot_read(path, ENOMEM);
  }
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  auto file = PendingFile::create(path, IfExists::replace);
  if (!file) return propagate(file);
  if (auto appended = file->append(bytes); !appended) return appended;
  return file->commit();
}

}  // namespace upres::upscale
