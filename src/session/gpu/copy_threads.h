// Copies that are too large for one thread: a core alone reaches a tenth of what memory can do.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace upres::session {

// Threads that sleep between copies; they start with the first large one. Thread rule: run() from one thread
// at a time.
class CopyThreads {
 public:
  // What a thread copies at least: waking it costs as much as copying some hundred kilobytes.
  static constexpr size_t kLeastBytes = size_t{2} << 20U;

  // most: threads that copy at once, the caller's among them; below 2: it alone.
  explicit CopyThreads(int most) : most_(most < 1 ? 1 : static_cast<size_t>(most)) {}
  ~CopyThreads();
  CopyThreads(const CopyThreads&) = delete;
  CopyThreads& operator=(const CopyThreads&) = delete;

  // Calls copy(first, last) for ranges of rows that together are 0 to `rows`, and returns when all have
  // returned. bytes: of all rows. copy must not throw; it is called from several threads where there are
  // bytes enough.
  void run(size_t rows, size_t bytes, const std::function<void(size_t first, size_t last)>& copy);

 private:
  void start(size_t threads);
  void work();
  void take_parts(std::unique_lock<std::mutex>& lock);

  const size_t most_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable work_there_;
  std::condition_variable all_done_;
  // The copy at hand; null: none.
  const std::function<void(size_t, size_t)>* copy_ = nullptr;
  size_t rows_ = 0;
  size_t parts_ = 0;
  size_t next_part_ = 0;
  size_t done_parts_ = 0;
  bool stops_ = false;
};

}  // namespace upres::session
