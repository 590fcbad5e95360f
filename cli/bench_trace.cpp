#include "bench_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "console.h"

namespace upres::cli {
namespace {

constexpr int kThread = 1;

Json name_event(std::string_view what, int process, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", kThread}, {"args", {{"name", name}}}};
}

// In whole nanoseconds.
double microseconds(double ms) { return std::round(ms * 1e6) / 1e3; }

Json step_event(const session::StepTime& step, int process, size_t window, double begin_ms) {
  Json arguments = {{"kernel", step.kernel}, {"constants", step.constants}, {"window", window}};
  arguments["gflops"] = step.device_ms > 0 && step.flops > 0
                            ? Json(static_cast<double>(step.flops) / step.device_ms / 1e6)
                            : Json(nullptr);
  arguments["bytes"] = step.bytes;
  return {{"name", step.node},
          {"cat", step.kernel},
          {"ph", "X"},
          {"ts", microseconds(begin_ms)},
          {"dur", microseconds(step.device_ms)},
          {"pid", process},
          {"tid", kThread},
          {"args", arguments}};
}

double first_begin_ms(std::span<const session::JobReport> jobs) {
  double first = std::numeric_limits<double>::infinity();
  for (const session::JobReport& job : jobs) {
    for (const session::StepTime& step : job.steps) {
      if (step.begin_ms >= 0) first = std::min(first, step.begin_ms);
    }
  }
  return first;
}

// Appends the steps of a process; how many.
size_t add_jobs(std::span<const session::JobReport> jobs, int process, const std::string& name,
                Json& events) {
  events.push_back(name_event("process_name", process, name));
  events.push_back(name_event("thread_name", process, "device"));
  const double origin_ms = first_begin_ms(jobs);
  double end_ms = 0;
  size_t count = 0;
  for (size_t window = 0; window < jobs.size(); ++window) {
    for (const session::StepTime& step : jobs[window].steps) {
      if (step.device_ms < 0) continue;
      const double begin_ms = step.begin_ms >= 0 ? step.begin_ms - origin_ms : end_ms;
      events.push_back(step_event(step, process, window, begin_ms));
      end_ms = begin_ms + step.device_ms;
      ++count;
    }
  }
  return count;
}

}  // namespace

Result<std::string> trace_text(const upscale::BenchResult& result, const std::string& title) {
  Json events = Json::array();
  size_t count = add_jobs(result.network_jobs, 1, "network", events);
  count += add_jobs(result.picture_jobs, 2, "pixels to pixels", events);
  if (count == 0)
    return fail(ErrorCode::device, "the device has no timestamps, so there are no times to trace");
  const Json trace = {{"displayTimeUnit", "ns"}, {"otherData", {{"title", title}}}, {"traceEvents", events}};
  return trace.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace upres::cli
