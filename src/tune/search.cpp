#include "tune/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "base/median.h"

namespace upres::tune {
namespace {

constexpr size_t kMostCombinations = 200'000;
constexpr size_t kExhaustive = 64;     // up to so many legal ones all are tried
constexpr double kSampledShare = 0.6;  // of the budget; the rest is for neighbours of the best
constexpr double kHopeless = 1.5;      // times the best: not measured well
constexpr double kFarBetter = 0.9;     // times the standard: no noise explains it
constexpr double kMostDuelShare = 0.3;
constexpr int kExpectedDuelRounds = 8;
constexpr double kDuelSubmitS = 0.004;
// A neighbour has up to twice the code, and compilers take more than twice as long for that. What is compiled
// already tells nothing.
constexpr double kCompileGrowth = 3;
constexpr double kLeastCompileMs = 50;

double real_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Median distance from the median.
double spread(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(distances);
}

bool is_legal(const kernels::DeviceInfo& info, const Task& task, const Parameters& parameters) {
  return task.kernel->legal(task.graph, task.node(), info, task.selection(parameters)).has_value();
}

std::vector<Parameters> legal_parameters(const kernels::DeviceInfo& info, const Task& task) {
  std::vector<Parameters> legal;
  const size_t count = std::min(kernels::combination_count(*task.kernel), kMostCombinations);
  for (size_t index = 0; index < count; ++index) {
    Parameters parameters = kernels::combination(*task.kernel, index);
    if (is_legal(info, task, parameters)) legal.push_back(std::move(parameters));
  }
  return legal;
}

// Whether a search of this scope changes the tunable.
bool is_searched(const kernels::Tunable& tunable, Scope scope) {
  if (tunable.tuned_by == kernels::TunedBy::tune) return scope == Scope::everything;
  return tunable.tuned_by == kernels::TunedBy::search;
}

// One tunable one step away.
std::vector<Parameters> neighbours(const kernels::Kernel& kernel, const Parameters& around, Scope scope) {
  std::vector<Parameters> all;
  const auto tunables = kernel.tunables();
  for (size_t i = 0; i < tunables.size(); ++i) {
    if (!is_searched(tunables[i], scope)) continue;
    std::vector<uint32_t> values(tunables[i].values.begin(), tunables[i].values.end());
    std::sort(values.begin(), values.end());
    const auto at = std::find(values.begin(), values.end(), around[i].value);
    for (const int step : {-1, 1}) {
      const auto next = at - values.begin() + step;
      if (next < 0 || next >= static_cast<std::ptrdiff_t>(values.size())) continue;
      Parameters neighbour = around;
      neighbour[i].value = values[static_cast<size_t>(next)];
      all.push_back(std::move(neighbour));
    }
  }
  return all;
}

// Tells what is left of a search's time, and what may be begun with it.
class Budget {
 public:
  explicit Budget(const SearchOptions& options)
      : now_s_(options.now_s ? options.now_s : real_now_s), begin_s_(now_s_()), length_s_(options.budget_s) {}

  [[nodiscard]] double left_s() const { return begin_s_ + length_s_ - now_s_(); }

  // Of everything but the duel, in seconds from now.
  [[nodiscard]] double left_of_share_s(double share) const {
    return begin_s_ + share * (length_s_ - duel_s()) - now_s_();
  }

  // What one more candidate may take, if it is not the worst so far.
  [[nodiscard]] double next_s(Scope scope) const {
    return scope == Scope::everything ? slowest_s_ : slowest_s_ + kCompileGrowth * slowest_compile_s_;
  }

  template <typename Measure>
  Result<Timing> timed(const Measure& measure) {
    const double begin_s = now_s_();
    Result<Timing> timing = measure();
    const double length_s = now_s_() - begin_s;
    // What the first one takes holds what is done once for all.
    slowest_s_ = count_++ == 1 ? length_s : std::max(slowest_s_, length_s);
    if (timing) slowest_compile_s_ = std::max(slowest_compile_s_, timing->compile_ms / 1000);
    return timing;
  }

  void forget_times() {
    count_ = 0;
    slowest_s_ = 0;
  }

  void note_standard(double time_ms) { standard_s_ = time_ms / 1000; }

 private:
  // Two kernels are compiled, then launched in turn.
  [[nodiscard]] double duel_s() const {
    const double launches_s = 2 * kExpectedDuelRounds * std::max(kDuelSubmitS, standard_s_);
    return std::min(kMostDuelShare * length_s_, 2 * slowest_s_ + launches_s);
  }

  std::function<double()> now_s_;
  double begin_s_ = 0;
  double length_s_ = 0;
  int count_ = 0;
  double slowest_s_ = 0;
  double slowest_compile_s_ = kLeastCompileMs / 1000;
  double standard_s_ = 0;
};

class Search {
 public:
  Search(Runner& runner, const kernels::DeviceInfo& info, const Task& task, Known& known,
         const SearchOptions& options)
      : runner_(runner), info_(info), task_(task), known_(known), options_(options), budget_(options) {}

  Result<SearchResult> run(const Parameters& standard, std::vector<Parameters> legal) {
    result_.legal = legal.size();
    if (auto status = measure_standard(standard); !status) return propagate(status);
    recall(legal);
    budget_.note_standard(result_.standard.time_ms);
    if (options_.scope == Scope::everything) sample(std::move(legal));
    climb();
    if (failure_.code == ErrorCode::input) return tl::unexpected(failure_);
    if (!has_best()) return nothing_works();
    result_.is_whole = !is_ended_;
    if (auto status = decide(); !status) return propagate(status);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool has_best() const { return result_.best.time_ms > 0; }
  [[nodiscard]] bool is_better(double time_ms) const { return !has_best() || time_ms < result_.best.time_ms; }

  [[nodiscard]] tl::unexpected<Error> nothing_works() const {
    const auto reason = known_.rejected.find(to_text(result_.standard.parameters));
    return fail(ErrorCode::device, "nothing that was tried works; the values used so far do not work: " +
                                       (reason == known_.rejected.end() ? "" : reason->second));
  }

  Status measure_standard(const Parameters& standard) {
    if (is_stopped()) return fail(ErrorCode::cancelled, "stopped");
    seen_.insert(to_text(standard));
    if (recall_standard(standard)) return {};
    const double most_s = std::max(budget_.left_s(), options_.standard_s);
    const auto timing = budget_.timed([&] { return runner_.measure(task_, standard, {0, most_s}); });
    ++result_.tried;
    if (!timing && timing.error().code == ErrorCode::device) {
      go_without_standard(standard, timing.error().message);
      return {};
    }
    if (!timing) return tl::unexpected(timing.error());
    result_.standard = result_.best = {standard, timing->time_ms};
    is_standard_new_ = true;
    known_.time_ms[to_text(standard)] = timing->time_ms;
    tell(standard, timing->time_ms, "");
    return {};
  }

  // How long a failure takes tells nothing of others, but where a compiler cannot be stopped.
  void go_without_standard(const Parameters& standard, const std::string& reason) {
    result_.standard = {standard, 0};
    if (options_.scope == Scope::everything) budget_.forget_times();
    reject(standard, reason);
    tell(standard, std::nullopt, reason);
  }

  // A search of neighbours is for a process that cannot stop a compiler: how long that takes must be seen.
  bool recall_standard(const Parameters& standard) {
    if (const auto rejected = known_.rejected.find(to_text(standard)); rejected != known_.rejected.end()) {
      result_.standard = {standard, 0};
      result_.rejected.push_back({standard, rejected->second});
      ++result_.known;
      return true;
    }
    const auto time = known_.time_ms.find(to_text(standard));
    if (options_.scope != Scope::everything || time == known_.time_ms.end()) return false;
    result_.standard = result_.best = {standard, time->second};
    ++result_.known;
    return true;
  }

  // What earlier searches know of the legal ones.
  void recall(const std::vector<Parameters>& legal) {
    for (const Parameters& parameters : legal) {
      const std::string text = to_text(parameters);
      if (seen_.contains(text)) continue;
      const auto rejected = known_.rejected.find(text);
      const auto time = known_.time_ms.find(text);
      if (rejected == known_.rejected.end() && time == known_.time_ms.end()) continue;
      seen_.insert(text);
      ++result_.known;
      if (rejected != known_.rejected.end()) {
        result_.rejected.push_back({parameters, rejected->second});
      } else if (is_better(time->second)) {
        result_.best = {parameters, time->second};
      }
    }
  }

  void sample(std::vector<Parameters> legal) {
    const double share = legal.size() <= kExhaustive ? 1 : kSampledShare;
    std::shuffle(legal.begin(), legal.end(), std::mt19937(1));
    for (const Parameters& parameters : legal) {
      if (!may_begin(share)) return;
      consider(parameters);
    }
  }

  [[nodiscard]] const Parameters& center() const {
    return has_best() ? result_.best.parameters : result_.standard.parameters;
  }

  // On from the best to a better neighbour, until none is better.
  void climb() {
    for (std::string around; around != to_text(center()) && !is_ended_;) {
      const Parameters from = center();
      around = to_text(from);
      for (const Parameters& neighbour : neighbours(*task_.kernel, from, options_.scope)) {
        if (seen_.contains(to_text(neighbour)) || !is_legal(info_, task_, neighbour)) continue;
        if (!may_begin(1)) return;
        consider(neighbour);
      }
    }
  }

  [[nodiscard]] bool is_stopped() const { return options_.cancelled && options_.cancelled(); }

  bool may_begin(double share) {
    const bool fits = budget_.left_of_share_s(share) >= budget_.next_s(options_.scope);
    if (is_stopped() || (!fits && share >= 1)) is_ended_ = true;
    return fits && !is_ended_;
  }

  void consider(const Parameters& parameters) {
    if (!seen_.insert(to_text(parameters)).second) return;
    const MeasureLimits limits{kHopeless * result_.best.time_ms, budget_.left_of_share_s(1)};
    const auto timing = budget_.timed([&] { return runner_.measure(task_, parameters, limits); });
    if (timing) {
      ++result_.tried;
      known_.time_ms[to_text(parameters)] = timing->time_ms;
      if (is_better(timing->time_ms)) {
        result_.best = {parameters, timing->time_ms};
        is_best_new_ = true;
      }
      tell(parameters, timing->time_ms, "");
    } else if (timing.error().code == ErrorCode::device) {
      ++result_.tried;
      reject(parameters, timing.error().message);
      tell(parameters, std::nullopt, timing.error().message);
    } else {
      is_ended_ = true;
      failure_ = timing.error();
    }
  }

  void reject(const Parameters& parameters, const std::string& reason) {
    known_.time_ms.erase(to_text(parameters));
    known_.rejected[to_text(parameters)] = reason;
    result_.rejected.push_back({parameters, reason});
  }

  void tell(const Parameters& parameters, std::optional<double> time_ms, const std::string& reason) const {
    if (options_.on_candidate)
      options_.on_candidate({parameters, time_ms, reason, result_.standard, result_.best});
  }

  // Times of one search only: clocks and the load differ from one to the next.
  [[nodiscard]] bool is_far_better() const {
    return is_standard_new_ && is_best_new_ && result_.best.time_ms < kFarBetter * result_.standard.time_ms;
  }

  // By single trials, of this search or earlier ones.
  [[nodiscard]] bool knows_better_than_standard() const {
    return std::any_of(seen_.begin(), seen_.end(), [&](const std::string& text) {
      const auto time = known_.time_ms.find(text);
      return time != known_.time_ms.end() && time->second < result_.standard.time_ms;
    });
  }

  // Both again in turn: the best must win beyond noise, or the standard stays, if it works.
  Status decide() {
    result_.is_decided = true;
    if (result_.standard.time_ms == 0) return {};
    if (to_text(result_.best.parameters) == to_text(result_.standard.parameters)) return {};
    const auto duel = is_stopped() ? Result<Duel>(fail(ErrorCode::cancelled, "stopped"))
                                   : runner_.duel(task_, result_.standard.parameters, result_.best.parameters,
                                                  budget_.left_s());
    if (!duel) {
      if (duel.error().code == ErrorCode::input) return tl::unexpected(duel.error());
      result_.is_whole = false;
      if (duel.error().code != ErrorCode::device && is_far_better()) return {};
      if (duel.error().code == ErrorCode::device) reject(result_.best.parameters, duel.error().message);
      result_.is_decided = !knows_better_than_standard();
      result_.best = result_.standard;
      return {};
    }
    result_.standard.time_ms = median(duel->standard_ms);
    result_.best.time_ms = median(duel->best_ms);
    const double noise = spread(duel->best_ms) + spread(duel->standard_ms);
    if (!(result_.best.time_ms < result_.standard.time_ms - noise)) result_.best = result_.standard;
    return {};
  }

  Runner& runner_;
  const kernels::DeviceInfo& info_;
  const Task& task_;
  Known& known_;
  const SearchOptions& options_;
  Budget budget_;
  SearchResult result_;
  std::set<std::string> seen_;
  bool is_standard_new_ = false;  // its time is of this search
  bool is_best_new_ = false;
  bool is_ended_ = false;  // by time, by the caller or by the runner
  Error failure_ = {ErrorCode::cancelled, ""};
};

}  // namespace

std::string to_text(const Parameters& parameters) {
  std::string text;
  for (const kernels::Tuning& tuned : parameters) {
    text += (text.empty() ? "" : " ") + tuned.name + "=" + std::to_string(tuned.value);
  }
  return text;
}

Result<SearchResult> search(Runner& runner, const kernels::DeviceInfo& info,
                            const devicedb::Database& database, const Task& task, Known& known,
                            const SearchOptions& options) {
  Parameters standard = kernels::complete_tuning(
      *task.kernel, database.tuning(info, task.kernel->id(), kernels::shape_text(task.node(), task.dtype)));
  std::vector<Parameters> legal = legal_parameters(info, task);
  if (legal.empty()) return fail(ErrorCode::device, "no values of its tunables are legal on this device");
  if (!is_legal(info, task, standard)) standard = legal.front();
  return Search(runner, info, task, known, options).run(standard, std::move(legal));
}

}  // namespace upres::tune
