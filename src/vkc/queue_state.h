// A queue of a device and what its users share.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "vkc/status.h"

namespace vkc::detail {

struct QueueState {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  bool computes = true;  // else it only copies
  // Whole images only, or boxes of these multiples (VkQueueFamilyProperties::minImageTransferGranularity).
  VkExtent3D granularity = {1, 1, 1};
  // Counts submissions, for work on other queues that waits for them; null where nothing does.
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::uint64_t submitted = 0;  // the timeline's last value; under `mutex`
  std::mutex mutex;
  // Of a host program that shares the queue; may be empty.
  std::function<void()> lock_shared;
  std::function<void()> unlock_shared;

  // Pipeline stages and kinds of access of the commands that it takes.
  [[nodiscard]] VkPipelineStageFlags stages() const {
    constexpr VkPipelineStageFlags kCopies = VK_PIPELINE_STAGE_TRANSFER_BIT;
    return computes ? kCopies | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : kCopies;
  }
  [[nodiscard]] VkAccessFlags writes() const {
    constexpr VkAccessFlags kCopies = VK_ACCESS_TRANSFER_WRITE_BIT;
    return computes ? kCopies | VK_ACCESS_SHADER_WRITE_BIT : kCopies;
  }
  [[nodiscard]] VkAccessFlags reads() const {
    constexpr VkAccessFlags kCopies = VK_ACCESS_TRANSFER_READ_BIT;
    return computes ? kCopies | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT : kCopies;
  }
};

// Holds a queue for one thread, if locked() is no error.
class QueueLock {
 public:
  explicit QueueLock(QueueState& queue) : queue_(queue), lock_(queue.mutex) {
    if (!queue_.lock_shared) return;
    locked_ = call_out("lock_queue", [&] {
      queue_.lock_shared();
      return Status();
    });
  }
  QueueLock(const QueueLock&) = delete;
  QueueLock& operator=(const QueueLock&) = delete;
  ~QueueLock() {
    if (locked_ && queue_.unlock_shared) queue_.unlock_shared();
  }
  [[nodiscard]] const Status& locked() const { return locked_; }

 private:
  QueueState& queue_;
  std::lock_guard<std::mutex> lock_;
  Status locked_;
};

}  // namespace vkc::detail
