// What Commands and Submission handles refer to.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <vkc/commands.h>

#include "vkc/buffer_state.h"
#include "vkc/descriptors.h"
#include "vkc/device_state.h"
#include "vkc/hazards.h"
#include "vkc/image_state.h"
#include "vkc/recent_bindings.h"
#include "vkc/retained.h"
#include "vkc/sampler_state.h"
#include "vkc/timestamps_state.h"

namespace vkc::detail {

class KernelState;

// One thread at a time, as Commands.
class CommandsState {
 public:
  CommandsState(std::shared_ptr<DeviceState> device, const CommandsOptions& options);
  CommandsState(const CommandsState&) = delete;
  CommandsState& operator=(const CommandsState&) = delete;
  ~CommandsState();

  Status create();
  Status begin();
  Status end();
  Status reset();
  // Gives the ended recording to its queue. Returns the queue's timeline value, 0 where it has none.
  Result<std::uint64_t> submit(std::span<const DeviceState::Wait> waits, VkFence fence);

  // Whether something can be recorded now: the error that was kept, or of a lost device or an ended
  // recording.
  [[nodiscard]] Status recordable() const;
  [[nodiscard]] bool is_recordable() const { return recording && !first_error_ && !device->is_lost(); }
  // Keeps the first error; returns it unchanged.
  Status keep(Status status);

  // Brings an image into the layout that the next command needs, waiting for everything before; does nothing
  // if it is there. Before order().
  void require_layout(ImageState& image, VkImageLayout layout);
  // Before a command with these accesses: a barrier if an earlier command conflicts. Then remembers them.
  void order(std::span<const HazardTracker::Access> accesses);
  void record_barrier();

  // Keeps something alive until reset.
  void retain(const std::shared_ptr<const void>& object);
  void retain(BufferState& buffer);
  void retain(ImageState& image);
  void retain(SamplerState& sampler);

  std::shared_ptr<DeviceState> device;
  QueueState& queue;
  Queue wanted_queue;
  Barriers barriers;
  std::string name;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer handle = VK_NULL_HANDLE;
  DescriptorPools descriptors;
  bool recording = false;

  // The last dispatch, so that what did not change is not recorded again.
  const KernelState* bound_kernel = nullptr;
  const CheckedBindings* bound = nullptr;
  RecentBindings recent;

  // Of the dispatch under way; here so that their memory is used again.
  std::vector<const Resource*> resources;  // one per slot of the kernel

  std::vector<std::shared_ptr<BufferState>>
      incoherent_buffers;  // to flush before and invalidate after a submission
  std::vector<std::pair<std::shared_ptr<TimestampsState>, std::uint32_t>> timestamps;

 private:
  Status allocate(VkCommandBuffer& buffer, const std::string& buffer_name);
  Status record_prelude(std::span<ImageState* const> images);
  void transition(ImageState& image, VkImageLayout from, VkImageLayout to);

  std::optional<Error> first_error_;
  HazardTracker hazards_;
  Retained retained_;
  std::vector<ImageState*> images_;                          // all that the recording uses
  std::vector<std::pair<ImageState*, VkImageLayout>> away_;  // images that are not in their home layout now
  VkCommandBuffer prelude_ =
      VK_NULL_HANDLE;  // brings images to their home layouts before the first use of all
};

// One submission of a recording. Any thread.
class SubmissionState {
 public:
  // timeline_value: of the queue, 0 where it has no timeline.
  SubmissionState(std::shared_ptr<CommandsState> commands, VkFence fence, std::uint64_t timeline_value)
      : commands_(std::move(commands)), fence_(fence), timeline_value_(timeline_value) {}
  SubmissionState(const SubmissionState&) = delete;
  SubmissionState& operator=(const SubmissionState&) = delete;
  ~SubmissionState();  // waits

  // True: done within the time.
  Result<bool> wait(std::uint64_t timeout_ns);

  [[nodiscard]] const DeviceState& device() const { return *commands_->device; }
  [[nodiscard]] const QueueState& queue() const { return commands_->queue; }
  [[nodiscard]] std::uint64_t timeline_value() const { return timeline_value_; }

 private:
  Status finish();
  [[nodiscard]] Result<bool> outcome() const;
  std::shared_ptr<CommandsState> commands_;
  VkFence fence_;
  std::uint64_t timeline_value_;
  std::mutex mutex_;
  bool done_ = false;
  Status outcome_ = {};
};

}  // namespace vkc::detail
