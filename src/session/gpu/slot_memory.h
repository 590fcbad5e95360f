// Device and host memory of one job in flight.
#pragma once

#include <vkc/buffer.h>
#include <vkc/commands.h>
#include <vkc/device.h>
#include <vkc/image.h>
#include <vkc/kernel.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plan/plan.h"

namespace upres::session {

// Buffers grow to the largest plan so far and never shrink; images are those of the last plan. Where host and
// device share their memory (integrated and software devices) kernels read inputs and write outputs in place;
// elsewhere they are copied by the device.
class SlotMemory {
 public:
  // poison: record_begin fills with NaN whatever the host has not written, so that what a kernel reads
  // without having written shows up.
  explicit SlotMemory(const vkc::Device& device, bool always_copy = false, bool poison = false);

  // Room for one job of this plan; only while nothing is in flight here. Errors: device (out of memory, a
  // limit).
  Status reserve(const plan::Plan& plan);

  // Whether the device copies inputs and outputs.
  [[nodiscard]] bool copies() const { return !shared_memory_; }

  // All buffers and images together.
  [[nodiscard]] uint64_t size_bytes() const;

  // Host memory of the plan's input block (inputs, then tables) and output block.
  [[nodiscard]] std::span<std::byte> host_input() const;
  [[nodiscard]] std::span<const std::byte> host_output() const;
  // Where kernels find a resource that is not weights.
  [[nodiscard]] vkc::Resource resource(const plan::Resource& resource) const;

  // Before the first step: inputs to the device, zeros where the plan wants them; with barriers before and
  // after.
  void record_begin(vkc::Commands& commands, const plan::Plan& plan) const;
  // After the last step: outputs to the host.
  void record_end(vkc::Commands& commands, const plan::Plan& plan) const;

 private:
  Status reserve(std::optional<vkc::Buffer>& buffer, uint64_t size_bytes, vkc::MemoryKind kind,
                 std::string_view name);
  Status reserve_images(const plan::Plan& plan);
  Status reserve_poison(const plan::Plan& plan);
  [[nodiscard]] vkc::BufferRange range(const plan::Resource& resource) const;
  void record_poison(vkc::Commands& commands) const;

  vkc::Device device_;
  bool shared_memory_ = false;
  bool poison_ = false;
  std::optional<vkc::Buffer> upload_;
  std::optional<vkc::Buffer> input_;  // absent with shared memory: upload_ is it
  std::optional<vkc::Buffer> scratch_;
  std::optional<vkc::Buffer> output_;  // absent with shared memory: download_ is it
  std::optional<vkc::Buffer> download_;
  std::optional<vkc::Buffer> nan_;  // as large as the largest image; absent without poison
  std::vector<vkc::Image> images_;  // the plan's
};

}  // namespace upres::session
