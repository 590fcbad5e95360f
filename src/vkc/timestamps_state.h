// What a Timestamps handle refers to.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <vkc/timestamps.h>

#include "vkc/device_state.h"

namespace vkc::detail {

class TimestampsState {
 public:
  TimestampsState(std::shared_ptr<DeviceState> device, std::uint32_t count)
      : device(std::move(device)), count(count), submitted(count) {}
  TimestampsState(const TimestampsState&) = delete;
  TimestampsState& operator=(const TimestampsState&) = delete;
  ~TimestampsState();

  Status create();
  // Errors: invalid_argument (no such entry).
  [[nodiscard]] Status check_entry(std::uint32_t index) const;
  // Ticks of the device's clock at an entry that there is. Errors: invalid_argument (not written yet),
  // device_lost.
  [[nodiscard]] Result<std::uint64_t> ticks(std::uint32_t index) const;
  // The same of several entries, in one call of the driver.
  [[nodiscard]] Result<std::vector<std::uint64_t>> ticks(std::uint32_t first, std::uint32_t read_count) const;
  [[nodiscard]] double elapsed_ms(std::uint64_t first_ticks, std::uint64_t last_ticks) const;

  std::shared_ptr<DeviceState> device;
  std::uint32_t count;
  VkQueryPool handle = VK_NULL_HANDLE;
  // Entries that some submission writes; asking Vulkan for others is not allowed.
  std::vector<std::atomic<bool>> submitted;
};

}  // namespace vkc::detail
