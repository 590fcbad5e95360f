// A disk that is full after so many bytes of a file.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace upres::test {

// While it lives, files of this process can grow to `bytes` only: a limit of the process stands in for the
// disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
  void (*old_handler_)(int) = SIG_DFL;
};

}  // namespace upres::test
