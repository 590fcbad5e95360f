#include "upscale/files.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <system_error>

#include "base/display_name.h"
#include "base/pending_file.h"
#include "upscale/memory.h"

namespace upres::upscale {
namespace {

tl::unexpected<Error> cannot_read(const std::string& label, const std::string& why) {
  return fail(ErrorCode::input, "cannot read " + label + ": " + why);
}

tl::unexpected<Error> cannot_read(const std::string& label, int error) {
  return cannot_read(label, std::generic_category().message(error));
}

bool is_cancelled(const Cancelled& cancelled) { return cancelled && cancelled(); }

tl::unexpected<Error> stopped() { return fail(ErrorCode::cancelled, "stopped"); }

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

// Waits for data. False: cancelled. What cannot be waited for is left to read() to tell.
bool wait_for_data(int descriptor, const Cancelled& cancelled) {
  constexpr int kInterval_ms = 100;
  if (!cancelled) return true;
  for (;;) {
    if (cancelled()) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kInterval_ms);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
}

// Reads to the end; the size that the file system tells may be wrong (pipes, /proc).
Result<std::vector<std::byte>> read_all(int descriptor, const std::string& label, uint64_t max_bytes,
                                        const Cancelled& cancelled) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 65536> block;
  for (;;) {
    if (!wait_for_data(descriptor, cancelled)) return stopped();
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(label, errno);
    if (count == 0) return bytes;
    if (bytes.size() + static_cast<size_t>(count) > max_bytes)
      return cannot_read(label, "it is longer than the " + memory_text(max_bytes) + " that are taken");
    bytes.insert(bytes.end(), block.begin(), block.begin() + count);
  }
}

// -1 with errno, EINTR only when cancelled: a named pipe waits here for whoever writes.
int open_to_read(const std::filesystem::path& path, const Cancelled& cancelled) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 || errno != EINTR || is_cancelled(cancelled)) return descriptor;
  }
}

}  // namespace

Result<std::vector<std::byte>> read_descriptor(int descriptor, const std::string& label, uint64_t max_bytes,
                                               const Cancelled& cancelled) {
  try {
    return read_all(descriptor, label, max_bytes, cancelled);
  } catch (const std::exception&) {
    return cannot_read(label, ENOMEM);
  }
}

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, uint64_t max_bytes,
                                         const Cancelled& cancelled) {
  const Descriptor descriptor(open_to_read(path, cancelled));
  if (descriptor.get() < 0 && errno == EINTR) return stopped();
  if (descriptor.get() < 0) return cannot_read(display_name(path), errno);
  return read_descriptor(descriptor.get(), display_name(path), max_bytes, cancelled);
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  auto file = PendingFile::create(path, IfExists::replace);
  if (!file) return propagate(file);
  if (auto appended = file->append(bytes); !appended) return appended;
  return file->commit();
}

}  // namespace upres::upscale
