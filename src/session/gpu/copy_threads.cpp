#include "session/gpu/copy_threads.h"

#include <algorithm>
#include <system_error>

namespace upres::session {

CopyThreads::~CopyThreads() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  work_there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// As many as the system gives; none is no error, the caller copies too.
void CopyThreads::start(size_t threads) {
  try {
    while (threads_.size() < threads) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
  }
}

void CopyThreads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_there_.wait(lock, [this] { return stops_ || next_part_ < parts_; });
    if (stops_) return;
    take_parts(lock);
  }
}

void CopyThreads::take_parts(std::unique_lock<std::mutex>& lock) {
  while (next_part_ < parts_) {
    const size_t part = next_part_++;
    const auto& copy = *copy_;
    const size_t first = rows_ * part / parts_;
    const size_t last = rows_ * (part + 1) / parts_;
    lock.unlock();
    copy(first, last);
    lock.lock();
    if (++done_parts_ == parts_) all_done_.notify_one();
  }
}

void CopyThreads::run(size_t rows, size_t bytes, const std::function<void(size_t, size_t)>& copy) {
  const size_t parts = std::min({most_, bytes / kLeastBytes, rows});
  if (parts < 2) {
    copy(0, rows);
    return;
  }
  start(parts - 1);
  std::unique_lock lock(mutex_);
  copy_ = &copy;
  rows_ = rows;
  parts_ = parts;
  next_part_ = 0;
  done_parts_ = 0;
  work_there_.notify_all();
  take_parts(lock);
  all_done_.wait(lock, [this] { return done_parts_ == parts_; });
  copy_ = nullptr;
  parts_ = 0;
}

}  // namespace upres::session
