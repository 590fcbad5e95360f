#include "upscale/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tune/report.h"

namespace upres::upscale {
namespace {

constexpr double kNoteInterval_s = 1;

double real_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string note_name(const tune::Task& task) { return "trials of " + tune::exact_text(task); }

std::string result_name(const tune::Task& task) { return "result of " + tune::exact_text(task); }

// Absent: no call has reached the task.
std::optional<tune::Known> earlier_trials(const Tunings& tunings, const tune::Task& task) {
  const auto text = tunings.note(task.kernel->id(), note_name(task));
  if (!text) return {};
  return tune::known_from_json(*text).value_or(tune::Known());
}

bool is_tuned(const Tunings& tunings, const tune::Task& task) {
  return tunings.is_tuned(task.kernel->id(), kernels::shape_text(task.node(), task.dtype));
}

// What earlier calls did not reach comes first, then what they could not finish: short calls reach
// everything.
int effort_so_far(const Tunings& tunings, const tune::Task& task) {
  const auto known = earlier_trials(tunings, task);
  if (!known) return 0;
  if (known->time_ms.empty() && known->rejected.empty()) return 1;
  return is_tuned(tunings, task) ? 3 : 2;
}

std::vector<size_t> order_of(const Tunings& tunings, std::span<const tune::Task> tasks) {
  std::vector<std::pair<int, size_t>> order;
  for (size_t i = 0; i < tasks.size(); ++i) order.emplace_back(effort_so_far(tunings, tasks[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<size_t> indices;
  for (const auto& [effort, index] : order) indices.push_back(index);
  return indices;
}

void keep_trials(const Tunings& tunings, const tune::Task& task, const tune::Known& known) {
  tunings.put_note(task.kernel->id(), note_name(task), tune::to_json(known));
}

double pixels(const Extent& extent) { return static_cast<double>(extent.width_px) * extent.height_px; }

std::string reason_for(const tune::Task& task, const tune::SearchResult& result) {
  const std::string found = fmt::format("Tuned at {}x{}: {:.4g} ms", task.extent.width_px,
                                        task.extent.height_px, result.best.time_ms);
  if (result.standard.time_ms == 0) return found + "; the values before do not work.";
  return fmt::format("{}, before {:.4g} ms.", found, result.standard.time_ms);
}

// Kept also where it is what is used so far: kernels are chosen by what they cost. A search that was cut off
// does not take the place of an earlier winner, and one that decided nothing leaves the task to a later one.
void keep_winner(Tunings& tunings, const tune::Task& task, const tune::SearchResult& result) {
  if (!result.is_decided) return;
  const bool has_won = tune::to_text(result.best.parameters) != tune::to_text(result.standard.parameters);
  const bool is_new = !is_tuned(tunings, task);
  if (!has_won && !result.is_whole && !is_new) return;
  tunings.keep({{},
                std::string(task.kernel->id()),
                kernels::shape_text(task.node(), task.dtype),
                result.best.parameters,
                reason_for(task, result),
                true,
                result.best.time_ms * 1e6 / pixels(task.extent)});
  tunings.put_note(
      task.kernel->id(), result_name(task),
      tune::describe_result(task, result).dump(-1, ' ', false, tune::Json::error_handler_t::replace));
}

class Tuner {
 public:
  Tuner(Tunings& tunings, const kernels::DeviceInfo& info, tune::Runner& runner, const TuneOptions& options)
      : tunings_(tunings),
        info_(info),
        runner_(runner),
        options_(options),
        now_s_(options.now_s ? options.now_s : real_now_s),
        begin_s_(now_s_()) {}

  Status run(std::span<const tune::Task> tasks) {
    const std::vector<size_t> order = order_of(tunings_, tasks);
    for (size_t i = 0; i < order.size() && left_s() > 0; ++i) {
      if (options_.cancelled && options_.cancelled()) break;
      const tune::Task& task = tasks[order[i]];
      const auto result = search(task, {i, tasks.size(), 0, options_.budget_s},
                                 left_s() / static_cast<double>(tasks.size() - i));
      if (!result && result.error().code == ErrorCode::input) return tl::unexpected(result.error());
      if (result) keep_winner(tunings_, task, *result);
      if (options_.on_result) options_.on_result(task, result);
    }
    return {};
  }

 private:
  [[nodiscard]] double left_s() const { return begin_s_ + options_.budget_s - now_s_(); }

  Result<tune::SearchResult> search(const tune::Task& task, TuneProgress progress, double budget_s) {
    tune::Known known = earlier_trials(tunings_, task).value_or(tune::Known());
    double noted_s = now_s_();
    tune::SearchOptions options;
    options.budget_s = budget_s;
    options.standard_s = left_s();
    options.scope = options_.scope;
    options.cancelled = options_.cancelled;
    options.now_s = now_s_;
    options.on_candidate = [&](const tune::Candidate& candidate) {
      // What may have killed a process must not be tried again, whatever happens to this one.
      if (!candidate.time_ms || now_s_() - noted_s > kNoteInterval_s) {
        keep_trials(tunings_, task, known);
        noted_s = now_s_();
      }
      progress.spent_s = now_s_() - begin_s_;
      if (options_.on_candidate) options_.on_candidate(task, candidate, progress);
    };
    auto result = tune::search(runner_, info_, tunings_.untuned(), task, known, options);
    keep_trials(tunings_, task, known);
    return result;
  }

  Tunings& tunings_;
  const kernels::DeviceInfo& info_;
  tune::Runner& runner_;
  const TuneOptions& options_;
  std::function<double()> now_s_;
  double begin_s_ = 0;
};

}  // namespace

Status tune_tasks(Tunings& tunings, const kernels::DeviceInfo& info, tune::Runner& runner,
                  std::span<const tune::Task> tasks, const TuneOptions& options) {
  return Tuner(tunings, info, runner, options).run(tasks);
}

std::optional<std::string> kept_result(const Tunings& tunings, const tune::Task& task) {
  if (!is_tuned(tunings, task)) return {};
  return tunings.note(task.kernel->id(), result_name(task));
}

}  // namespace upres::upscale
