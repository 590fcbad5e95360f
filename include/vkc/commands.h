// Recording work, submitting it, waiting for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include <vkc/buffer.h>
#include <vkc/device.h>
#include <vkc/error.h>
#include <vkc/image.h>
#include <vkc/list_view.h>
#include <vkc/timestamps.h>

namespace vkc {

namespace detail {
class CommandsState;
class SubmissionState;
}  // namespace detail

enum class Barriers : std::uint8_t {
  // Each command waits for earlier ones whose bytes it reads or overwrites, and for those of earlier
  // submissions to the same queue.
  automatic,
  // Only where barrier() is called; begin with one if earlier submissions matter. For callers that already
  // know the dependences. Layouts of images are looked after all the same.
  manual,
};

enum class Queue : std::uint8_t {
  compute,  // takes everything
  // Takes copies and fills only, and runs beside the compute queue: submissions of the two are ordered only
  // by Commands::submit's `after`. The compute queue where the device was opened without a transfer queue, so
  // that callers need no second way (kernels and timestamps are errors all the same).
  transfer,
};

struct CommandsOptions {
  Barriers barriers = Barriers::automatic;
  std::string_view name = {};  // for debug tools
  Queue queue = Queue::compute;
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
  [[nodiscard]] const std::shared_ptr<detail::SubmissionState>& state() const { return state_; }

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
  // Errors: invalid_argument (options that do not exist), out_of_memory, device_lost.
  static Result<Commands> create(const Device& device, const CommandsOptions& options = {});
  Commands(Commands&& other) noexcept;
  Commands& operator=(Commands&& other) noexcept;
  ~Commands();

  // Kernel::dispatch records a kernel.

  // Copies bytes; both ranges have the same size and do not overlap. Errors: invalid_argument, device_lost.
  Status copy(const BufferRange& from, const BufferRange& to);
  // Copies the texels of a region, row after row without gaps, between an image and the start of a range; all
  // of the image where no region is given. The offset of the range is a multiple of 4 and of the texel's
  // size; bytes behind the region's are left alone. Errors: invalid_argument (a region outside the image or a
  // range too small for it, another device), limit_exceeded (the transfer queue's granularity, see
  // ImageRegion), device_lost.
  Status copy(const BufferRange& from, const Image& to);
  Status copy(const BufferRange& from, const Image& to, const ImageRegion& region);
  Status copy(const Image& from, const BufferRange& to);
  Status copy(const Image& from, const BufferRange& to, const ImageRegion& region);
  // Copies all of an image to another one of the same format and extent. Errors: invalid_argument,
  // device_lost.
  Status copy(const Image& from, const Image& to);
  // Fills with a 32-bit value; offset and size are multiples of 4. Errors: invalid_argument, device_lost.
  Status fill(const BufferRange& range, std::uint32_t value);
  // Everything recorded later sees and waits for everything recorded or submitted earlier.
  Status barrier();
  // The time at which all earlier commands have finished, as entry `index`. Errors: invalid_argument (no such
  // entry), not_supported, device_lost.
  Status write_timestamp(const Timestamps& timestamps, std::uint32_t index);

  // Ends the recording, if it is not yet ended, and gives it to the device. May be called again when the last
  // submission is done. Several Commands may be in flight.
  // after: submissions to the other queue that must be done first. The queues wait by themselves where the
  // device has the feature timeline_semaphore; elsewhere this call blocks until they are done. Those of the
  // same queue need not be named.
  // Errors: the recording's; invalid_argument (still in flight; a submission of another device);
  // out_of_memory, device_lost, vulkan.
  Result<Submission> submit(ListView<Submission> after = {});
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
