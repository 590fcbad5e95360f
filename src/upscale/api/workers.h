// Threads for submitted pictures, and the rule that a device computes one at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"

namespace upres {

// Threads start when there is work for them. Thread rule: any thread; destruction waits for all jobs.
class Workers {
 public:
  explicit Workers(int count) : count_(static_cast<size_t>(count)) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  // Jobs begin in this order and must not throw. Errors: device, when the system gives no thread at all.
  Status add(std::function<void()> job);

 private:
  bool start_thread();
  void work();

  size_t count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  size_t idle_ = 0;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

// Lets one in at a time.
class Turn {
 public:
  // Waits for the turn; false when `cancelled` said so first.
  bool enter(const std::function<bool()>& cancelled);
  void leave();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_taken_ = false;
};

}  // namespace upres
