// A file that appears under its name complete or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/error.h"

namespace upres {

// What to do with a file that exists already under the name.
enum class IfExists { fail, replace };

// A file under construction: a temporary in the folder of its target with a short name of its own (so that
// any legal target name works), created with mode 0666 less the umask. Until commit() nothing is visible
// under the target's name; destroyed before, it leaves nothing behind. A caller that must react to signals
// unwinds as after any error. Not for several threads at once.
class PendingFile {
 public:
  // Creates the temporary. Whether the target exists is checked here already when `if_exists` is fail, so
  // that work does not begin in vain. Error input: "X exists ..."; the target is a folder or no regular file;
  // its folder is missing or not writable.
  static Result<PendingFile> create(const std::filesystem::path& target, IfExists if_exists);

  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&& other) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  // Appends bytes. Error input: no space, quota, I/O error.
  Status append(std::span<const std::byte> bytes);

  // Flushes to the disk and gives the file its name. With IfExists::fail this never replaces a file, even one
  // that another process made in between; with IfExists::replace, a symbolic link is followed and what it
  // points to is replaced. On any error the temporary is removed. Error input: as create(), and I/O errors.
  Status commit();

  // Where the bytes are until commit().
  [[nodiscard]] const std::filesystem::path& temporary_path() const { return temporary_; }

 private:
  PendingFile() = default;
  void discard() noexcept;

  int descriptor_ = -1;
  bool has_temporary_ = false;
  IfExists if_exists_ = IfExists::fail;
  std::filesystem::path shown_;   // the name as the caller gave it, for messages
  std::filesystem::path target_;  // with symbolic links followed
  std::filesystem::path temporary_;
};

}  // namespace upres
