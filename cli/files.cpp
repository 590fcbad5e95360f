#include "files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "base/display_name.h"
#include "signals.h"
#include "upscale/files.h"
#include "upscale/memory.h"

namespace upres::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxFileBytes = uint64_t{1} << 40U;
constexpr uint64_t kMaxStreamBytes = uint64_t{4} << 30U;

std::optional<mode_t> mode_of(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_mode;
}

// A growing buffer is there twice for a moment, and decoding needs memory too.
uint64_t max_stream_bytes() {
  const auto available_bytes = upscale::available_memory_bytes();
  return std::min(kMaxStreamBytes, available_bytes ? *available_bytes / 4 : kMaxStreamBytes);
}

tl::unexpected<Error> is_device(const std::string& label) {
  return fail(ErrorCode::input, "cannot read " + label + ": it is a device, not a file");
}

}  // namespace

bool is_stream(const fs::path& path) {
  const auto mode = mode_of(path);
  return mode && !S_ISREG(*mode) && !S_ISDIR(*mode);
}

Result<std::vector<std::byte>> read_input_file(const fs::path& path) {
  const auto mode = mode_of(path);
  if (mode && (S_ISCHR(*mode) || S_ISBLK(*mode))) return is_device(display_name(path));
  return upscale::read_file(path, is_stream(path) ? max_stream_bytes() : kMaxFileBytes, is_cancelled);
}

Result<std::vector<std::byte>> read_standard_input(const std::string& label) {
  struct stat status = {};
  const bool is_known = ::fstat(STDIN_FILENO, &status) == 0;
  // A terminal is a device too; what is typed there ends.
  if (is_known && S_ISCHR(status.st_mode) && ::isatty(STDIN_FILENO) == 0) return is_device(label);
  const bool is_file = is_known && S_ISREG(status.st_mode);
  return upscale::read_descriptor(STDIN_FILENO, label, is_file ? kMaxFileBytes : max_stream_bytes(),
                                  is_cancelled);
}

Status check_output_folder(const fs::path& output) {
  const fs::path folder = output.parent_path().empty() ? fs::path(".") : output.parent_path();
  const std::string shown = display_name(folder);
  const auto mode = mode_of(folder);
  if (!mode) return fail(ErrorCode::input, "the output folder " + shown + " does not exist; make it first");
  if (!S_ISDIR(*mode)) return fail(ErrorCode::input, shown + " is no folder; choose another -o");
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return fail(ErrorCode::input, "the output folder " + shown + " is not writable (" +
                                    std::generic_category().message(errno) + "); choose another with -o");
}

Status write_output_file(const fs::path& path, std::span<const std::byte> bytes, IfExists if_exists) {
  const auto mode = mode_of(path);
  auto file = PendingFile::create(path, if_exists);
  if (!file) return propagate(file);
  const SignalProtected protection(file->temporary_path());
  if (auto appended = file->append(bytes); !appended) return appended;
  // Best effort: a file system without permissions has none to keep.
  if (mode && S_ISREG(*mode)) ::chmod(file->temporary_path().c_str(), *mode & 0777U);
  if (is_cancelled()) return fail(ErrorCode::cancelled, "stopped");
  return file->commit();
}

}  // namespace upres::cli
