// One job on its way through the device: its plan's steps, cut into submits.
#pragma once

#include <vkc/commands.h>
#include <vkc/device.h>
#include <vkc/kernel.h>
#include <vkc/timestamps.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/plan.h"
#include "session/gpu/pace.h"
#include "session/gpu/slot_memory.h"
#include "session/session.h"

namespace upres::session {

// Commands and timestamps, used again when a submit has finished.
struct Recorder {
  vkc::Commands commands;
  std::optional<vkc::Timestamps> timestamps;  // absent where the device has none
};

// What all runs of a session share; outlives them.
struct RunShared {
  vkc::Device device;
  std::shared_ptr<const plan::ChosenGraph> chosen;
  std::vector<vkc::Kernel> kernels;    // by node
  std::vector<KernelFacts> facts;      // by node
  std::optional<vkc::Buffer> weights;  // absent: the graph has none
  Pace pace;
  std::vector<Recorder> idle;
  std::function<Status()> before_submit;  // an error counts as the submit's; for tests
};

class Run {
 public:
  // Inputs are in the slot's host memory. Both references outlive the run.
  Run(RunShared& shared, SlotMemory& memory, std::shared_ptr<const plan::Plan> plan);
  // Waits for what is in flight.
  ~Run();
  Run(Run&&) = delete;

  // Submits as much as may be in flight. Errors are kept, see status(); after one nothing more is submitted.
  void submit_more();
  // Takes finished submits off the queue and learns from them; with `block`, waits for the oldest.
  void collect(bool block);

  // Nothing is left to do: all done, or failed with nothing in flight.
  [[nodiscard]] bool finished() const;
  // Errors: device; which steps were on the device when it failed.
  [[nodiscard]] const Status& status() const { return status_; }
  // Device times, those of transfers too; negative where the device has no timestamps.
  [[nodiscard]] JobReport report() const;

 private:
  struct Flight {
    Recorder recorder;
    vkc::Submission submission;
    std::vector<Segment> segments;
    bool uploads = false;    // begins with copies of the inputs
    bool downloads = false;  // ends with copies of the outputs
    std::chrono::steady_clock::time_point submitted;
  };

  [[nodiscard]] bool all_submitted() const { return cursor_.step >= plan_->steps.size(); }
  [[nodiscard]] size_t max_in_flight() const;
  void submit_next();
  Result<Recorder> take_recorder();
  void record(Recorder& recorder, const std::vector<Segment>& segments, bool first);
  void record_segment(vkc::Commands& commands, const Segment& segment) const;
  void take_times(const Flight& flight, bool waited);
  void learn_from_clock(const Flight& flight);
  void fail_with(Error error);
  [[nodiscard]] std::string segments_text(const std::vector<Segment>& segments) const;

  RunShared& shared_;
  SlotMemory& memory_;
  std::shared_ptr<const plan::Plan> plan_;
  Cursor cursor_;
  std::deque<Flight> in_flight_;
  std::vector<double> step_ms_;        // by step; negative: not known
  std::vector<double> step_begin_ms_;  // by step, on the device's clock; negative: not known
  TransferTimes transfers_;            // the device's
  std::chrono::steady_clock::time_point last_finished_;
  Status status_;
};

}  // namespace upres::session
