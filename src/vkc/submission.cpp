#include <algorithm>

#include "vkc/commands_state.h"

namespace vkc {
namespace detail {

SubmissionState::~SubmissionState() {
  // Nobody asks any more, but the command buffer and all it uses must outlive the work.
  const bool done = wait(UINT64_MAX).value_or(false);
  if (!done && !commands_->device->is_lost()) (void)commands_->device->wait_idle();
  commands_->device->give_fence(fence_, true);
}

Result<bool> SubmissionState::wait(std::uint64_t timeout_ns) {
  {
    const std::lock_guard lock(mutex_);
    if (done_) return outcome();
  }
  // Outside the lock: several threads may wait, each with a time of its own. The fence stays as it is until
  // destruction.
  DeviceState& device = *commands_->device;
  const VkResult result = device.vk.WaitForFences(device.handle, 1, &fence_, VK_TRUE, timeout_ns);
  if (result == VK_TIMEOUT) return false;
  const Status waited = device.check(result, "waiting for the device");
  // Short of memory to wait with, the work may still be under way.
  if (!waited && waited.error().code != ErrorCode::device_lost) return propagate(waited);
  const std::lock_guard lock(mutex_);
  if (!done_) {
    outcome_ = waited ? finish() : waited;
    done_ = true;
  }
  return outcome();
}

Result<bool> SubmissionState::outcome() const {
  if (!outcome_) return propagate(outcome_);
  return true;
}

Status SubmissionState::finish() {
  for (const auto& buffer : commands_->incoherent_buffers) {
    if (auto ok = buffer->invalidate(); !ok) return ok;
  }
  return {};
}

}  // namespace detail

Status Submission::wait() const {
  const auto done = state_->wait(UINT64_MAX);
  if (!done) return detail::propagate(done);
  return {};
}

Result<bool> Submission::wait_for(std::chrono::nanoseconds timeout) const {
  return state_->wait(timeout.count() > 0 ? static_cast<std::uint64_t>(timeout.count()) : 0);
}

namespace detail {
namespace {

// What the queue has to wait for; waits here for what it cannot.
Result<std::vector<DeviceState::Wait>> waits_for(const CommandsState& commands,
                                                 std::span<const Submission> after) {
  std::vector<DeviceState::Wait> waits;
  for (const Submission& submission : after) {
    const SubmissionState& earlier = *submission.state();
    if (&earlier.device() != commands.device.get())
      return fail(ErrorCode::invalid_argument, "submit after a submission of another device");
    if (&earlier.queue() == &commands.queue) continue;
    if (earlier.queue().timeline != VK_NULL_HANDLE) {  // there is one other queue: the latest of it counts
      if (waits.empty()) waits.push_back({earlier.queue().timeline, 0});
      waits.front().value = std::max(waits.front().value, earlier.timeline_value());
    } else if (auto done = submission.wait(); !done) {
      return propagate(done);
    }
  }
  return waits;
}

}  // namespace
}  // namespace detail

Result<Submission> Commands::submit(ListView<Submission> after) {
  detail::CommandsState& state = *state_;
  if (state.recording) {
    if (auto ok = state.recordable(); !ok) return detail::propagate(ok);
    if (auto ok = state.keep(state.end()); !ok) return detail::propagate(ok);
  } else if (auto ok = state.device->alive(); !ok) {
    return detail::propagate(ok);
  }
  if (auto idle = check_idle(); !idle) return detail::propagate(idle);
  const auto waits = detail::waits_for(state, after.span());
  if (!waits) return detail::propagate(waits);
  for (const auto& buffer : state.incoherent_buffers) {
    if (auto ok = buffer->flush(); !ok) return detail::propagate(ok);
  }
  const auto fence = state.device->take_fence();
  if (!fence) return detail::propagate(fence);
  const auto value = state.submit(*waits, *fence);
  if (!value) {
    state.device->give_fence(*fence, false);
    return detail::propagate(value);
  }
  for (const auto& [timestamps, index] : state.timestamps) timestamps->submitted[index] = true;
  last_ = std::make_shared<detail::SubmissionState>(state_, *fence, *value);
  return Submission(last_);
}

Status Commands::reset() {
  if (auto idle = check_idle(); !idle) return idle;
  last_.reset();
  return state_->reset();
}

Status Commands::check_idle() const {
  if (last_ == nullptr) return {};
  const auto done = last_->wait(0);
  if (!done) return detail::propagate(done);
  if (*done) return {};
  return detail::fail(ErrorCode::invalid_argument,
                      "the commands are still in flight; wait for their submission");
}

}  // namespace vkc
