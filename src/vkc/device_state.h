// What a Device handle refers to: the VkDevice, its queues, and what all its users share.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include <vkc/device.h>

#include "vkc/counted_limit.h"
#include "vkc/functions.h"
#include "vkc/physical_device_state.h"
#include "vkc/pipeline_cache_file.h"
#include "vkc/queue_state.h"
#include "vkc/status.h"

namespace vkc::detail {

// Threads: all members may be used from any thread.
class DeviceState {
 public:
  explicit DeviceState(PhysicalDevice physical);
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState();

  // Makes VkDevice, queues and pipeline cache.
  Status open(const DeviceOptions& options);
  // Takes over a VkDevice and its queue, which stay their owner's; `physical` describes it as it was opened.
  Status adopt(VkDevice device, VkQueue queue, const DeviceOptions& options);

  // Success or the error of a failed call; remembers that the device is lost.
  Status check(VkResult result, std::string_view what);
  // device_lost once the device is; before anything that needs it.
  [[nodiscard]] Status alive() const;
  [[nodiscard]] bool is_lost() const { return lost_; }

  // Work of other queues to wait for: until their timeline has reached the value.
  struct Wait {
    VkSemaphore timeline = VK_NULL_HANDLE;
    std::uint64_t value = 0;
  };
  // Gives recordings to a queue. Returns the queue's timeline value that says they are done; 0 where the
  // queue has no timeline.
  Result<std::uint64_t> submit(QueueState& queue, std::span<const VkCommandBuffer> recordings,
                               std::span<const Wait> waits, VkFence fence);
  Status wait_idle();

  // The queue that work of that kind goes to.
  [[nodiscard]] bool has_transfer_queue() const { return transfer_queue.handle != VK_NULL_HANDLE; }
  // For a buffer or image that is to be made: which queues use it.
  template <typename CreateInfo>
  void share_among_queues(CreateInfo& info) const {
    info.sharingMode = has_transfer_queue() ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
    info.queueFamilyIndexCount = has_transfer_queue() ? 2 : 0;
    info.pQueueFamilyIndices = families_.data();
  }

  // A fence that is not signalled; give it back when nothing waits for it.
  Result<VkFence> take_fence();
  void give_fence(VkFence fence, bool signalled);

  // Shows an object by name in debug tools, where they are there.
  void set_name(VkObjectType type, std::uint64_t object, std::string_view name) const;
  template <typename Handle>
  void set_name(VkObjectType type, Handle object, std::string_view name) const {
    set_name(type, reinterpret_cast<std::uint64_t>(object), name);
  }

  // Where clocks of this device begin: some time before the first timestamp that was read, so that a number
  // of milliseconds from there on keeps its fractions. now_ticks: a timestamp.
  std::uint64_t clock_origin_ticks(std::uint64_t now_ticks);

  void note_new_pipeline() { new_pipelines_ = true; }
  Status save_pipeline_cache();

  void log(Severity severity, std::string_view text) const {
    physical.state()->instance->log(severity, text);
  }
  [[nodiscard]] const DeviceProperties& properties() const { return physical.properties(); }
  [[nodiscard]] const DeviceLimits& limits() const { return physical.properties().limits; }

  PhysicalDevice physical;
  DeviceFunctions vk;
  VkDevice handle = VK_NULL_HANDLE;
  bool owned = true;  // destroyed here
  QueueState compute_queue;
  QueueState transfer_queue;  // its handle is null where it was not asked for or is not there
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory = {};
  CountedLimit memory_allocations;
  CountedLimit samplers;
  std::mutex images_mutex;  // see ImageState::submitted

 private:
  Status create_handle(const DeviceOptions& options);
  Status load();
  Status finish(const DeviceOptions& options);
  Status create_timelines();
  Status create_pipeline_cache(std::span<const std::byte> initial, VkPipelineCache& cache);
  Result<std::vector<std::byte>> pipeline_cache_data(VkPipelineCache cache);
  Result<std::vector<std::byte>> merged_with_file();
  [[nodiscard]] PipelineCacheKey cache_key() const;

  std::once_flag clock_begun_;
  std::uint64_t clock_origin_ticks_ = 0;
  std::array<std::uint32_t, 2> families_ = {};  // of the compute and the transfer queue
  std::atomic<bool> lost_ = false;
  std::mutex fence_mutex_;
  std::vector<VkFence> fences_;
  std::mutex cache_mutex_;
  std::filesystem::path cache_folder_;
  std::atomic<bool> new_pipelines_ = false;
};

}  // namespace vkc::detail
