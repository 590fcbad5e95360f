// What Commands and Submission handles refer to.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <vkc/commands.h>

#include "vkc/buffer_state.h"
#include "vkc/device_state.h"
#include "vkc/hazards.h"
#include "vkc/timestamps_state.h"

namespace vkc::detail {

class KernelState;

// Descriptor pools that grow as a recording needs more sets; reset() keeps them for the next one.
class DescriptorPools {
 public:
  explicit DescriptorPools(DeviceState& device) : device_(device) {}
  DescriptorPools(const DescriptorPools&) = delete;
  DescriptorPools& operator=(const DescriptorPools&) = delete;
  ~DescriptorPools();

  // A set for each layout. largest: most descriptors of any kind that they hold together.
  Status allocate(std::span<const VkDescriptorSetLayout> layouts, std::uint32_t largest,
                  std::vector<VkDescriptorSet>& sets);
  Status reset();

 private:
  Status add_pool(std::uint32_t descriptors);
  DeviceState& device_;
  std::vector<VkDescriptorPool> pools_;
  std::size_t current_ = 0;
};

// One thread at a time, as Commands.
class CommandsState {
 public:
  CommandsState(std::shared_ptr<DeviceState> device, const CommandsOptions& options)
      : device(std::move(device)),
        barriers(options.barriers),
        name(options.name),
        descriptors(*this->device) {}
  CommandsState(const CommandsState&) = delete;
  CommandsState& operator=(const CommandsState&) = delete;
  ~CommandsState();

  Status create();
  Status begin();
  Status end();
  Status reset();

  // Whether something can be recorded now: the error that was kept, or of a lost device or an ended
  // recording.
  [[nodiscard]] Status recordable() const;
  // Keeps the first error; returns it unchanged.
  Status keep(Status status);

  // Before a command with these accesses: a barrier if an earlier command conflicts. Then remembers them.
  void order(std::span<const HazardTracker::Access> accesses);
  void record_barrier();

  // Keeps something alive until reset.
  void retain(const std::shared_ptr<const void>& object);
  void retain(BufferState& buffer);

  std::shared_ptr<DeviceState> device;
  Barriers barriers;
  std::string name;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer handle = VK_NULL_HANDLE;
  DescriptorPools descriptors;
  bool recording = false;

  // The last dispatch, so that what did not change is not recorded again.
  const KernelState* bound_kernel = nullptr;
  std::vector<VkDescriptorBufferInfo> bound_ranges;
  std::vector<VkDescriptorSet> bound_sets;

  // Of the dispatch under way; here so that their memory is used again.
  std::vector<const BufferRange*> ranges;  // one per slot of the kernel
  std::vector<VkWriteDescriptorSet> writes;
  std::vector<HazardTracker::Access> accesses;

  std::vector<std::shared_ptr<BufferState>>
      incoherent_buffers;  // to flush before and invalidate after a submission
  std::vector<std::pair<std::shared_ptr<TimestampsState>, std::uint32_t>> timestamps;

 private:
  std::optional<Error> first_error_;
  HazardTracker hazards_;
  std::unordered_set<const void*> retained_;
  std::vector<std::shared_ptr<const void>> kept_alive_;
};

// One submission of a recording. Any thread.
class SubmissionState {
 public:
  SubmissionState(std::shared_ptr<CommandsState> commands, VkFence fence)
      : commands_(std::move(commands)), fence_(fence) {}
  SubmissionState(const SubmissionState&) = delete;
  SubmissionState& operator=(const SubmissionState&) = delete;
  ~SubmissionState();  // waits

  // True: done within the time.
  Result<bool> wait(std::uint64_t timeout_ns);

 private:
  Status finish();
  [[nodiscard]] Result<bool> outcome() const;
  std::shared_ptr<CommandsState> commands_;
  VkFence fence_;
  std::mutex mutex_;
  bool done_ = false;
  Status outcome_ = {};
};

}  // namespace vkc::detail
