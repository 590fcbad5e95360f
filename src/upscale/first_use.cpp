#include "upscale/first_use.h"

#include <chrono>
#include <string>
#include <vector>

#include "graph/picture.h"
#include "plan/plan.h"
#include "tune/runner.h"
#include "tune/task.h"
#include "upscale/tune.h"

namespace upres::upscale {
namespace {

using Clock = std::chrono::steady_clock;

// Large enough to fill a GPU of its kind, and for a software driver some ten milliseconds. What wins on less
// than fills the device need not win on a whole picture.
constexpr Extent kDiscreteExtent = {1280, 720};
constexpr Extent kIntegratedExtent = {640, 360};
constexpr Extent kSoftwareExtent = {64, 32};
constexpr Extent kCheckExtent = {53, 21};
constexpr tune::WarmUp kWarmUp = {0.1, 0.02};

constexpr std::string_view kBegun = "begun";
constexpr std::string_view kStopped = "stopped";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string note_name(const tune::Task& task) { return "first use of " + tune::exact_text(task); }

Extent extent_for(const kernels::DeviceInfo& info) {
  if (info.kind == "software") return kSoftwareExtent;
  return info.kind == "discrete" ? kDiscreteExtent : kIntegratedExtent;
}

// Two seconds are no reason to doubt what a longer search on such a device found.
bool is_new(const Device& device, const tune::Task& task) {
  const Tunings& tunings = *device.tunings();
  const std::string shape = kernels::shape_text(task.node(), task.dtype);
  if (tunings.is_tuned(task.kernel->id(), shape)) return false;
  if (tunings.untuned().is_measured(device.info(), task.kernel->id(), shape)) return false;
  return tunings.note(task.kernel->id(), note_name(task)) != kBegun;
}

Status note(const Tunings& tunings, const std::vector<tune::Task>& tasks, std::string_view what) {
  for (const tune::Task& task : tasks) {
    if (!tunings.put_note(task.kernel->id(), note_name(task), what))
      return fail(ErrorCode::input, "the cache cannot be written");
  }
  return {};
}

// The convolutions as a session would run them, without those that are known here.
std::vector<tune::Task> new_tasks(const Device& device, const graph::Graph& network, Precision precision) {
  const auto graph = graph::attach_picture_ends(network, {});
  if (!graph) return {};
  const auto chosen = device.choose_kernels(*graph, precision);
  if (!chosen) return {};
  auto tasks = tune::chosen_tasks(**chosen, extent_for(device.info()));
  std::erase_if(tasks, [&](const tune::Task& task) { return !is_new(device, task); });
  return tasks;
}

}  // namespace

std::optional<FirstUse> tune_for_first_use(const Device& device, const graph::Graph& network,
                                           Precision precision, const FirstUseOptions& options) {
  const auto begin = Clock::now();
  if (device.is_cpu() || options.budget_s <= 0 || device.tunings()->cache().folder().empty()) return {};
  Tunings& tunings = *device.tunings();
  const auto tasks = new_tasks(device, network, precision);
  // Before, so that a candidate that kills this process does so once.
  if (tasks.empty() || !note(tunings, tasks, kBegun)) return {};
  tune::LocalRunner runner(*device.gpu(), kWarmUp, kCheckExtent);
  TuneOptions tune;
  tune.scope = tune::Scope::neighbours;
  tune.cancelled = options.cancelled;
  tune.budget_s = options.budget_s - seconds_since(begin);
  // Whatever goes wrong, what the database says still holds.
  (void)tune_tasks(tunings, device.info(), runner, tasks, tune);
  if (options.cancelled && options.cancelled()) (void)note(tunings, tasks, kStopped);
  return FirstUse{seconds_since(begin), tasks.size()};
}

}  // namespace upres::upscale
