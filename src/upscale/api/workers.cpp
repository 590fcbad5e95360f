#include "upscale/api/workers.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace upres {

namespace {

constexpr std::chrono::milliseconds kCancelInterval(20);

}  // namespace

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::start_thread() {
  try {
    threads_.emplace_back([this] { work(); });
    return true;
  } catch (const std::exception&) {  // system_error, bad_alloc
    return false;
  }
}

Status Workers::add(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  const bool wants_thread = jobs_.size() >= idle_ && threads_.size() < count_;
  if (wants_thread && !start_thread() && threads_.empty())
    return fail(ErrorCode::device, "the system gives this process no thread; end others or raise its limit");
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  return {};
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return !jobs_.empty() || is_closing_; });
    --idle_;
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds goes before the next one begins
    lock.lock();
  }
}

bool Turn::enter(const std::function<bool()>& cancelled) {
  std::unique_lock lock(mutex_);
  while (is_taken_) {
    changed_.wait_for(lock, kCancelInterval);
    if (!is_taken_) break;
    lock.unlock();  // the caller's function may do anything
    if (cancelled()) return false;
    lock.lock();
  }
  is_taken_ = true;
  return true;
}

void Turn::leave() {
  {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
  }
  changed_.notify_one();
}

}  // namespace upres
