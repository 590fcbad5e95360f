// Device and host memory of one job in flight.
#pragma once

#include <vkc/buffer.h>
#include <vkc/commands.h>
#include <vkc/device.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "plan/plan.h"

namespace upres::session {

// Grows to the largest plan so far and never shrinks. Where host and device share their memory (integrated
// and software devices) kernels read inputs and write outputs in place; elsewhere they are copied by the
// device.
class SlotMemory {
 public:
  explicit SlotMemory(const vkc::Device& device, bool always_copy = false);

  // Room for one job of this plan; only while nothing is in flight here. Errors: device (out of memory, a
  // limit).
  Status reserve(const plan::Plan& plan);

  // Whether the device copies inputs and outputs.
  [[nodiscard]] bool copies() const { return !shared_memory_; }

  // All buffers together.
  [[nodiscard]] uint64_t size_bytes() const;

  // Host memory of the plan's input block (inputs, then tables) and output block.
  [[nodiscard]] std::span<std::byte> host_input() const;
  [[nodiscard]] std::span<const std::byte> host_output() const;
  // Where kernels find a resource that is not weights.
  [[nodiscard]] vkc::BufferRange range(const plan::Resource& resource) const;

  // Before the first step: inputs to the device, zeros where the plan wants them; with barriers before and
  // after. `poison` fills everything else with NaN.
  void record_begin(vkc::Commands& commands, const plan::Plan& plan, bool poison) const;
  // After the last step: outputs to the host.
  void record_end(vkc::Commands& commands, const plan::Plan& plan) const;

 private:
  Status reserve(std::optional<vkc::Buffer>& buffer, uint64_t size_bytes, vkc::MemoryKind kind,
                 std::string_view name);

  vkc::Device device_;
  bool shared_memory_ = false;
  std::optional<vkc::Buffer> upload_;
  std::optional<vkc::Buffer> input_;  // absent with shared memory: upload_ is it
  std::optional<vkc::Buffer> scratch_;
  std::optional<vkc::Buffer> output_;  // absent with shared memory: download_ is it
  std::optional<vkc::Buffer> download_;
};

}  // namespace upres::session
