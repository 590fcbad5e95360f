#include "session/gpu/run.h"

#include <algorithm>
#include <cstring>

#include "session/gpu/vkc_error.h"

namespace upres::session {
namespace {

using Clock = std::chrono::steady_clock;

// Entries of a submit's timestamps: before the copies of the inputs, before the first segment, behind each
// segment (Pace::cut makes at most 63), behind the copies of the outputs.
constexpr uint32_t kTimestamps = 66;
constexpr uint32_t kFirstSegment = 1;

std::vector<std::byte> push_for(const plan::Step& step, const Segment& segment) {
  std::vector<std::byte> push = step.push;
  const kernels::RowRange rows{segment.row_begin, segment.row_end};
  std::memcpy(push.data(), &rows, sizeof(rows));
  return push;
}

double ms_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace

Run::Run(RunShared& shared, SlotMemory& memory, std::shared_ptr<const plan::Plan> plan)
    : shared_(shared),
      memory_(memory),
      plan_(std::move(plan)),
      step_ms_(plan_->steps.size(), -1),
      step_begin_ms_(plan_->steps.size(), -1) {}

Run::~Run() {
  for (const Flight& flight : in_flight_) (void)flight.submission.wait();
}

bool Run::finished() const { return in_flight_.empty() && (all_submitted() || !status_); }

// One while it is not known how long the next step takes: the first submit tells.
size_t Run::max_in_flight() const { return shared_.pace.knows(plan_->steps[cursor_.step]) ? 2 : 1; }

void Run::submit_more() {
  while (status_ && !all_submitted() && in_flight_.size() < max_in_flight()) submit_next();
}

Result<Recorder> Run::take_recorder() {
  if (!shared_.idle.empty()) {
    Recorder recorder = std::move(shared_.idle.back());
    shared_.idle.pop_back();
    if (auto status = recorder.commands.reset(); !status)
      return device_error(status.error(), "beginning a recording");
    return recorder;
  }
  auto commands =
      vkc::Commands::create(shared_.device, {.barriers = vkc::Barriers::manual, .name = "upres job"});
  if (!commands) return device_error(commands.error(), "making a command list");
  Recorder recorder{std::move(*commands), std::nullopt};
  if (shared_.chosen->device.limits.timestamps) {
    auto timestamps = vkc::Timestamps::create(shared_.device, kTimestamps);
    if (!timestamps) return device_error(timestamps.error(), "making timestamps");
    recorder.timestamps = std::move(*timestamps);
  }
  return recorder;
}

// Errors of recording are kept by Commands and come out of submit().
void Run::record(Recorder& recorder, const std::vector<Segment>& segments, bool first) {
  vkc::Commands& commands = recorder.commands;
  uint32_t stamp = 0;
  const auto write_stamp = [&] {
    if (recorder.timestamps) (void)commands.write_timestamp(*recorder.timestamps, stamp++);
  };
  write_stamp();
  if (first) {
    memory_.record_begin(commands, *plan_);
  } else {
    (void)commands.barrier();
  }
  write_stamp();
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool step_begins = segments[i].row_begin == 0;
    if (i > 0 && step_begins && plan_->steps[segments[i].step].barrier_before) (void)commands.barrier();
    record_segment(commands, segments[i]);
    write_stamp();
  }
  if (all_submitted()) memory_.record_end(commands, *plan_);
  write_stamp();
}

void Run::record_segment(vkc::Commands& commands, const Segment& segment) const {
  const plan::Step& step = plan_->steps[segment.step];
  const vkc::Kernel& kernel = shared_.kernels[step.node_index];
  std::vector<vkc::Binding> bindings;
  for (const plan::Binding& binding : step.bindings) {
    const plan::Resource& resource = plan_->resources[binding.resource];
    const bool is_weights = resource.kind == plan::ResourceKind::weights;
    bindings.push_back({binding.name, is_weights ? vkc::Resource(shared_.weights->range(resource.offset_bytes,
                                                                                        resource.size_bytes))
                                                 : memory_.resource(resource)});
  }
  const uint32_t rows = step.grid.persistent ? 1 : segment.row_end - segment.row_begin;
  const vkc::Extent extent{step.grid.width, rows, step.grid.depth};
  (void)kernel.dispatch(commands, vkc::group_count(extent, kernel.group_size()), bindings,
                        push_for(step, segment));
}

void Run::submit_next() {
  const bool first = cursor_ == Cursor{};
  auto segments = shared_.pace.cut(*plan_, cursor_);
  auto recorder = take_recorder();
  if (!recorder) return fail_with(recorder.error());
  record(*recorder, segments, first);
  if (shared_.before_submit) {
    if (auto status = shared_.before_submit(); !status) {
      return fail_with(status.error().in_context("while submitting " + segments_text(segments)));
    }
  }
  auto submission = recorder->commands.submit();
  if (!submission) {
    return fail_with(device_error(submission.error(), "submitting " + segments_text(segments)).value());
  }
  const bool copies = memory_.copies();
  in_flight_.push_back({std::move(*recorder), std::move(*submission), std::move(segments), copies && first,
                        copies && all_submitted(), Clock::now()});
}

void Run::collect(bool block) {
  while (!in_flight_.empty()) {
    Flight& flight = in_flight_.front();
    auto done = flight.submission.is_done();
    const bool must_wait = done && !*done;
    if (must_wait && !block) return;
    const vkc::Status waited = flight.submission.wait();
    if (!waited) fail_with(device_error(waited.error(), "running " + segments_text(flight.segments)).value());
    if (waited) take_times(flight, must_wait);
    last_finished_ = Clock::now();
    if (waited) shared_.idle.push_back(std::move(flight.recorder));
    in_flight_.pop_front();
    block = false;
  }
}

void Run::take_times(const Flight& flight, bool waited) {
  if (!flight.recorder.timestamps) {
    if (waited) learn_from_clock(flight);
    return;
  }
  const auto count = static_cast<uint32_t>(flight.segments.size());
  const auto times = flight.recorder.timestamps->read_clock_ms(0, count + kFirstSegment + 2);
  if (!times) return;
  for (uint32_t i = 0; i < count; ++i) {
    const double begin_ms = (*times)[kFirstSegment + i];
    const double ms = (*times)[kFirstSegment + i + 1] - begin_ms;
    const Segment& segment = flight.segments[i];
    shared_.pace.learn(plan_->steps[segment.step], segment.row_end - segment.row_begin, ms);
    step_ms_[segment.step] = std::max(0.0, step_ms_[segment.step]) + ms;
    if (step_begin_ms_[segment.step] < 0) step_begin_ms_[segment.step] = begin_ms;
  }
  if (flight.uploads) transfers_.upload_ms = (*times)[kFirstSegment] - times->front();
  if (flight.downloads) transfers_.download_ms = times->back() - (*times)[kFirstSegment + count];
}

// Without timestamps: the host's clock over the whole submit, divided as was expected.
void Run::learn_from_clock(const Flight& flight) {
  const double ms = ms_between(std::max(flight.submitted, last_finished_), Clock::now());
  std::vector<double> expected;
  double sum = 0;
  for (const Segment& segment : flight.segments) {
    expected.push_back(
        shared_.pace.expected_ms(plan_->steps[segment.step], segment.row_end - segment.row_begin));
    sum += expected.back();
  }
  for (size_t i = 0; i < expected.size() && sum > 0; ++i) {
    const Segment& segment = flight.segments[i];
    shared_.pace.learn(plan_->steps[segment.step], segment.row_end - segment.row_begin,
                       ms * expected[i] / sum);
  }
}

void Run::fail_with(Error error) {
  if (status_) status_ = tl::unexpected<Error>(std::move(error));
}

std::string Run::segments_text(const std::vector<Segment>& segments) const {
  const auto text = [&](const Segment& segment) {
    const plan::Step& step = plan_->steps[segment.step];
    return "step " + step.node + " (" + std::string(step.choice.kernel) + ") rows " +
           std::to_string(segment.row_begin) + " to " + std::to_string(segment.row_end) + " of " +
           std::to_string(step.grid.rows);
  };
  std::string result = segments.empty() ? "nothing" : text(segments.front());
  if (segments.size() > 1) result += " up to " + text(segments.back());
  return result + " on " + shared_.chosen->device.name;
}

JobReport Run::report() const {
  JobReport report;
  report.transfers = transfers_;
  for (size_t i = 0; i < plan_->steps.size(); ++i) {
    const plan::Step& step = plan_->steps[i];
    report.steps.push_back({step.node, kernels::module_name(step.choice), plan::constants_text(step.choice),
                            step_ms_[i], step.flops, step.bytes, step_begin_ms_[i],
                            shared_.facts[step.node_index]});
    if (step_ms_[i] >= 0) report.compute_ms = std::max(0.0, report.compute_ms) + step_ms_[i];
  }
  return report;
}

}  // namespace upres::session
