// Tuning a device: what is found is kept in its Tunings, and a later call goes on from there.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "graph/graph.h"
#include "tune/runner.h"
#include "tune/search.h"
#include "tune/task.h"
#include "upscale/device.h"

namespace upres::upscale {

// How far a call is.
struct TuneProgress {
  size_t task = 0;  // how many came before the one at hand
  size_t tasks = 0;
  double spent_s = 0;
  double budget_s = 0;
};

struct TuneOptions {
  double budget_s = 60;  // in all; what one task leaves goes to the others
  tune::Scope scope = tune::Scope::everything;
  std::function<bool()> cancelled = {};
  std::function<void(const tune::Task&, const tune::Candidate&, const TuneProgress&)> on_candidate = {};
  // What became of a task; an error ends the call only if it is none of the task's own (device).
  std::function<void(const tune::Task&, const Result<tune::SearchResult>&)> on_result = {};
  std::function<double()> now_s = {};  // a clock, for tests
};

// Searches each task, against what holds without earlier tuning of this very device, and keeps what wins:
// first the tasks that no earlier call reached, then those without a result, then the others. Candidates that
// earlier calls measured, or found to be bad for this driver, are not tried again. Stopped, it keeps what
// there is. Errors: input (the runner cannot measure).
Status tune_tasks(Tunings& tunings, const kernels::DeviceInfo& info, tune::Runner& runner,
                  std::span<const tune::Task> tasks, const TuneOptions& options);

// What calls so far kept for a task on this device and driver: one JSON object, as tune::describe_result's.
// Absent where nothing was kept, or without a cache folder. Thread rule: any thread.
std::optional<std::string> kept_result(const Tunings& tunings, const tune::Task& task);

}  // namespace upres::upscale
