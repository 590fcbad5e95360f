// What a Device handle refers to: the VkDevice, its queue, and what all its users share.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <vkc/device.h>

#include "vkc/functions.h"
#include "vkc/physical_device_state.h"
#include "vkc/pipeline_cache_file.h"
#include "vkc/status.h"

namespace vkc::detail {

// Threads: all members may be used from any thread.
class DeviceState {
 public:
  explicit DeviceState(PhysicalDevice physical) : physical(std::move(physical)) {}
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState();

  // Makes VkDevice, queue and pipeline cache.
  Status open(const DeviceOptions& options);

  // Success or the error of a failed call; remembers that the device is lost.
  Status check(VkResult result, std::string_view what);
  // device_lost once the device is; before anything that needs it.
  [[nodiscard]] Status alive() const;
  [[nodiscard]] bool is_lost() const { return lost_; }

  Status submit(VkCommandBuffer commands, VkFence fence);
  Status wait_idle();

  // A fence that is not signalled; give it back when nothing waits for it.
  Result<VkFence> take_fence();
  void give_fence(VkFence fence, bool signalled);

  // Shows an object by name in debug tools, where they are there.
  void set_name(VkObjectType type, std::uint64_t object, std::string_view name) const;
  template <typename Handle>
  void set_name(VkObjectType type, Handle object, std::string_view name) const {
    set_name(type, reinterpret_cast<std::uint64_t>(object), name);
  }

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
  VkQueue queue = VK_NULL_HANDLE;
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory = {};

 private:
  Status create_handle();
  Status create_pipeline_cache(std::span<const std::byte> initial, VkPipelineCache& cache);
  Result<std::vector<std::byte>> pipeline_cache_data(VkPipelineCache cache);
  Result<std::vector<std::byte>> merged_with_file();
  [[nodiscard]] PipelineCacheKey cache_key() const;

  std::mutex queue_mutex_;
  std::atomic<bool> lost_ = false;
  std::mutex fence_mutex_;
  std::vector<VkFence> fences_;
  std::mutex cache_mutex_;
  std::filesystem::path cache_folder_;
  std::atomic<bool> new_pipelines_ = false;
};

}  // namespace vkc::detail
