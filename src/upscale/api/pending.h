// The shared part of a submitted picture and of who computes it.
#pragma once

#include <upres/upscaler.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace upres {

// Thread rule: any thread.
template <typename T>
struct Pending<T>::State {
  std::atomic<bool> cancelled = false;

  void finish(Result<T> outcome) {
    const std::lock_guard lock(mutex);
    result.emplace(std::move(outcome));
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Result<T>> result;
  bool is_taken = false;
};

}  // namespace upres
