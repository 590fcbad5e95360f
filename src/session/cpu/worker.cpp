#include "session/cpu/worker.h"

#include <chrono>

#include "session/cpu/caller_tensors.h"

namespace upres::session::cpu {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void Worker::prepare(const StripPlan& plan, std::span<const Extent> extents) {
  for (size_t p = 0; p < buffers_.size(); ++p) {
    const Place& place = program_.places[p];
    if (place.kind != Place::Kind::buffer) continue;
    buffers_[p].reset(place.form, place.channels, extents[place.value], plan.capacity_rows[p]);
  }
  step_ms_.assign(program_.steps.size(), 0);
}

size_t Worker::buffer_bytes() const {
  size_t bytes = 0;
  for (const RowBuffer& buffer : buffers_) bytes += buffer.size_bytes();
  return bytes;
}

Status Worker::run(const Schedule& strip, const Job& job) {
  for (size_t p = 0; p < buffers_.size(); ++p) buffers_[p].start_at(strip.first_rows[p]);
  for (const std::vector<BandStep>& band : strip.bands) {
    for (size_t s = 0; s < band.size(); ++s) {
      if (band[s].rows.size() <= 0) continue;
      const Clock::time_point begin = Clock::now();
      if (auto status = run_step(s, band[s], job); !status) return status;
      step_ms_[s] += std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    }
  }
  return {};
}

Status Worker::run_step(size_t s, const BandStep& share, const Job& job) {
  const ProgramStep& step = program_.steps[s];
  inputs_.clear();
  for (const size_t p : step.inputs) {
    const Place& place = program_.places[p];
    const bool callers = place.kind == Place::Kind::job_input;
    inputs_.push_back(callers ? rows_of(job.inputs[place.index]) : read_only(buffers_[p].rows()));
  }
  outputs_.clear();
  size_t picture = 0;
  for (const size_t p : step.outputs) {
    const Place& place = program_.places[p];
    if (place.kind == Place::Kind::job_output) {
      outputs_.push_back(rows_of(job.outputs[place.index]));
    } else {
      if (!place.flat) buffers_[p].make_room(share.keep_from[picture], share.rows.begin, share.rows.end);
      outputs_.push_back(buffers_[p].rows());
    }
    picture += place.flat ? 0 : 1;
  }
  return step.step->run(number_, share.rows, inputs_, outputs_);
}

}  // namespace upres::session::cpu
