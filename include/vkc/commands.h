// Recording work, submitting it, waiting for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include <vkc/buffer.h>
#include <vkc/device.h>
#include <vkc/error.h>
#include <vkc/timestamps.h>

namespace vkc {

namespace detail {
class CommandsState;
class SubmissionState;
}  // namespace detail

enum class Barriers : std::uint8_t {
  // Each command waits for earlier ones whose bytes it reads or overwrites, and for those of earlier
  // submissions.
  automatic,
  // Only where barrier() is called; begin with one if earlier submissions matter. For callers that already
  // know the dependences.
  manual,
};

struct CommandsOptions {
  Barriers barriers = Barriers::automatic;
  std::string_view name = {};  // for debug tools
};

// A submitted recording. A shared handle; all members from any thread.
class Submission {
 public:
  // Blocks until the work is done. Then mapped memory that it wrote may be read. Errors: device_lost,
  // out_of_memory.
  Status wait() const;
  // The same for at most this long; true: done. Zero: only asks.
  [[nodiscard]] Result<bool> wait_for(std::chrono::nanoseconds timeout) const;
  [[nodiscard]] Result<bool> is_done() const { return wait_for(std::chrono::nanoseconds(0)); }

  explicit Submission(std::shared_ptr<detail::SubmissionState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<detail::SubmissionState> state_;
};

// A list of commands, recorded once and submitted as often as wanted. Move-only. Threads: one at a time;
// different Commands of one device from different threads. Buffers, kernels and timestamps that it uses stay
// alive as long as it, or until reset(). The last of Commands and its Submissions to be destroyed waits for
// the work.
//
// Errors of recording: each call returns its own, and the first one is kept: nothing after it is recorded,
// and submit() returns it. So a list may be recorded without looking and checked once.
class Commands {
 public:
  // Errors: out_of_memory, device_lost.
  static Result<Commands> create(const Device& device, const CommandsOptions& options = {});
  Commands(Commands&& other) noexcept;
  Commands& operator=(Commands&& other) noexcept;
  ~Commands();

  // Kernel::dispatch records a kernel.

  // Copies bytes; both ranges have the same size and do not overlap. Errors: invalid_argument, device_lost.
  Status copy(const BufferRange& from, const BufferRange& to);
  // Fills with a 32-bit value; offset and size are multiples of 4. Errors: invalid_argument, device_lost.
  Status fill(const BufferRange& range, std::uint32_t value);
  // Everything recorded later sees and waits for everything recorded or submitted earlier.
  Status barrier();
  // The time at which all earlier commands have finished, as entry `index`. Errors: invalid_argument (no such
  // entry), not_supported, device_lost.
  Status write_timestamp(const Timestamps& timestamps, std::uint32_t index);

  // Ends the recording, if it is not yet ended, and gives it to the device. May be called again when the last
  // submission is done. Several Commands may be in flight. Errors: the recording's; invalid_argument (still
  // in flight); out_of_memory, device_lost, vulkan.
  Result<Submission> submit();
  // Forgets the recording and begins a new one, with the memory of the old. Errors: invalid_argument (still
  // in flight), out_of_memory, device_lost.
  Status reset();

  explicit Commands(std::shared_ptr<detail::CommandsState> state);
  [[nodiscard]] const std::shared_ptr<detail::CommandsState>& state() const { return state_; }

 private:
  [[nodiscard]] Status check_idle() const;
  std::shared_ptr<detail::CommandsState> state_;
  std::shared_ptr<detail::SubmissionState> last_;
};

}  // namespace vkc
