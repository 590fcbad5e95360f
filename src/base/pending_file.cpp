#include "base/pending_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "base/display_name.h"

namespace upres {
namespace {

namespace fs = std::filesystem;

std::string errno_text(int error) { return std::system_category().message(error); }

tl::unexpected<Error> cannot_write(const fs::path& path, const std::string& why) {
  return fail(ErrorCode::input, "cannot write " + display_name(path) + ": " + why);
}

tl::unexpected<Error> exists_already(const fs::path& path) {
  return fail(ErrorCode::input, display_name(path) + " exists; allow overwriting it or choose another name");
}

fs::path folder_of(const fs::path& target) {
  const fs::path parent = target.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

// Refuses targets that a rename would wrongly replace: folders, devices, sockets; and, with IfExists::fail,
// anything.
Status check_target(const fs::path& target, IfExists if_exists) {
  struct stat info = {};
  const bool is_there = lstat(target.c_str(), &info) == 0;
  if (!is_there) return {};
  if (stat(target.c_str(), &info) != 0) info.st_mode = S_IFREG;  // a link to nothing may be replaced
  if (S_ISDIR(info.st_mode)) return cannot_write(target, "it is a folder; give a file name");
  if (if_exists == IfExists::fail) return exists_already(target);
  if (!S_ISREG(info.st_mode)) return cannot_write(target, "it is not a regular file; choose another name");
  return {};
}

// Why the temporary could not be made, in terms of the folder, which is what the user can change.
tl::unexpected<Error> folder_problem(const fs::path& target, int error) {
  const std::string folder = display_name(folder_of(target));
  std::error_code ignored;
  if (error == ENOENT && !fs::exists(folder_of(target), ignored))
    return cannot_write(target, "there is no folder " + folder + "; make it first");
  if (error == ENOTDIR) return cannot_write(target, folder + " is not a folder");
  return cannot_write(target, "no file can be made in folder " + folder + ": " + errno_text(error));
}

std::string random_name(std::random_device& entropy) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
  std::string name = ".upres-";
  for (int i = 0; i < 2; ++i) {
    const unsigned bits = entropy();
    for (unsigned j = 0; j < 6; ++j) name += kLetters[(bits >> (5 * j)) & 31U];
  }
  return name + ".tmp";
}

enum class Placed { yes, exists, unsupported, failed };

Placed from_errno() {
  switch (errno) {
    case EEXIST:
      return Placed::exists;
    case EINVAL:
    case ENOSYS:
    case EPERM:
    case ENOTSUP:
      return Placed::unsupported;
    default:
      return Placed::failed;
  }
}

// Names the file without ever replacing one. File systems differ in what they can do, so three ways in turn;
// only the last one (FAT and some network file systems) leaves a moment between the look and the rename.
Placed place_without_replacing(const fs::path& from, const fs::path& to) {
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return Placed::yes;
  if (const Placed result = from_errno(); result != Placed::unsupported) return result;
#endif
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return Placed::yes;
  }
  if (const Placed result = from_errno(); result != Placed::unsupported) return result;
  if (access(to.c_str(), F_OK) == 0) return Placed::exists;
  return rename(from.c_str(), to.c_str()) == 0 ? Placed::yes : Placed::failed;
}

Placed place(const fs::path& from, const fs::path& to, IfExists if_exists) {
  if (if_exists == IfExists::fail) return place_without_replacing(from, to);
  return rename(from.c_str(), to.c_str()) == 0 ? Placed::yes : Placed::failed;
}

}  // namespace

Result<PendingFile> PendingFile::create(const fs::path& target, IfExists if_exists) {
  if (target.empty()) return fail(ErrorCode::input, "cannot write a file without a name");
  if (!target.has_filename()) return cannot_write(target, "it names a folder; give a file name");
  if (Status status = check_target(target, if_exists); !status) return propagate(status);
  PendingFile file;
  file.if_exists_ = if_exists;
  file.shown_ = target;
  std::error_code error;
  const fs::path followed = fs::is_symlink(target, error) ? fs::canonical(target, error) : target;
  file.target_ = error || followed.empty() ? target : followed;
  std::random_device entropy;
  do {
    file.temporary_ = folder_of(file.target_) / random_name(entropy);
    file.descriptor_ = open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file.descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
  if (file.descriptor_ < 0) return folder_problem(target, errno);
  file.has_temporary_ = true;
  return file;
}

PendingFile::PendingFile(PendingFile&& other) noexcept { *this = std::move(other); }

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  descriptor_ = std::exchange(other.descriptor_, -1);
  has_temporary_ = std::exchange(other.has_temporary_, false);
  if_exists_ = other.if_exists_;
  shown_ = std::move(other.shown_);
  target_ = std::move(other.target_);
  temporary_ = std::move(other.temporary_);
  return *this;
}

PendingFile::~PendingFile() { discard(); }

void PendingFile::discard() noexcept {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  if (std::exchange(has_temporary_, false)) unlink(temporary_.c_str());
}

Status PendingFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write(shown_, errno_text(errno));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status PendingFile::commit() {
  // Pipes and some special file systems cannot flush (EINVAL); a full disk may be noticed only here or at
  // close.
  int error = fsync(descriptor_) != 0 && errno != EINVAL ? errno : 0;
  if (close(std::exchange(descriptor_, -1)) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error != 0) {
    discard();
    return cannot_write(shown_, errno_text(error));
  }
  const Placed placed = place(temporary_, target_, if_exists_);
  const int place_error = errno;
  if (placed == Placed::yes) {
    has_temporary_ = false;
    return {};
  }
  discard();
  if (placed == Placed::exists) return exists_already(shown_);
  return cannot_write(shown_, errno_text(place_error));
}

}  // namespace upres
