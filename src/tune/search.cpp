#include "tune/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "base/median.h"
#include "tune/trial.h"

namespace upres::tune {
namespace {

using Clock = std::chrono::steady_clock;
using Tunings = std::vector<kernels::Tuning>;

constexpr size_t kMostCombinations = 200'000;
constexpr size_t kExhaustive = 64;  // up to so many legal ones all are tried
constexpr double kMostCompileMs = 2000;
constexpr double kSubmitMs = 4;  // of launches timed together
constexpr int kMostLaunches = 64;
constexpr double kFirstWarmUpS = 0.6;
constexpr double kWarmUpS = 0.08;
constexpr int kFinalRounds = 15;
constexpr double kSampledShare = 0.6;  // of the budget; the rest is for neighbours of the best
constexpr double kHopeless = 1.5;      // times the best: not measured again

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Median distance from the median.
double spread(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(distances);
}

bool is_legal(const kernels::DeviceInfo& info, const Task& task, const Tunings& tuning) {
  return task.kernel->legal(task.graph, task.node(), info, task.selection(tuning)).has_value();
}

std::vector<Tunings> legal_tunings(const kernels::DeviceInfo& info, const Task& task) {
  std::vector<Tunings> legal;
  const size_t count = std::min(kernels::combination_count(*task.kernel), kMostCombinations);
  for (size_t index = 0; index < count; ++index) {
    Tunings tuning = kernels::combination(*task.kernel, index);
    if (is_legal(info, task, tuning)) legal.push_back(std::move(tuning));
  }
  return legal;
}

class Search {
 public:
  Search(const vkc::Device& device, const kernels::DeviceInfo& info, const Task& task, Reference reference,
         const SearchOptions& options)
      : device_(device),
        info_(info),
        task_(task),
        reference_(std::move(reference)),
        options_(options),
        is_software_(device.properties().type == vkc::DeviceType::software),
        begin_(Clock::now()) {}

  Result<SearchResult> run(Tunings standard, std::vector<Tunings> legal) {
    result_.legal = legal.size();
    auto trial = measure(standard);
    if (!trial) return propagate(trial, "the values used so far do not work");
    result_.standard = result_.best;
    const bool is_small = legal.size() <= kExhaustive;
    std::shuffle(legal.begin(), legal.end(), std::mt19937(1));
    for (const Tunings& tuning : legal) {
      if (is_over(is_small ? 1.0 : kSampledShare)) break;
      consider(tuning);
    }
    if (!is_small) climb();
    if (auto status = decide(); !status) return propagate(status);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_over(double share) const {
    return seconds_since(begin_) > share * options_.budget_s || (options_.cancelled && options_.cancelled());
  }

  void consider(const Tunings& tuning) {
    if (!seen_.insert(to_text(tuning)).second) return;
    auto measured = measure(tuning);
    if (!measured) result_.rejected.push_back({tuning, measured.error().message});
  }

  // Compiles, checks and times; keeps the best.
  Status measure(const Tunings& tuning) {
    seen_.insert(to_text(tuning));
    ++result_.tried;
    auto trial = Trial::create(device_, task_, tuning);
    if (!trial) return propagate(trial);
    if (trial->compile_ms() > kMostCompileMs)
      return fail(ErrorCode::device, "it compiles for " + std::to_string(trial->compile_ms()) + " ms");
    if (auto checked = trial->check(reference_); !checked) return checked;
    auto time = time_of(*trial);
    if (!time) return propagate(time);
    if (result_.tried > 1 && *time >= result_.best.time_ms) return {};
    result_.best = {tuning, *time};
    (result_.tried == 1 ? standard_trial_ : best_trial_).emplace(std::move(*trial));
    return {};
  }

  // The least of three, unless the first is hopeless.
  Result<double> time_of(const Trial& trial) const {
    auto first = trial.time_ms(1);
    if (!first) return first;
    if (!(*first > 0) || !std::isfinite(*first)) return fail(ErrorCode::device, "it takes no credible time");
    if (result_.tried > 1 && *first > 4 * result_.best.time_ms) return first;
    const int launches = std::clamp(static_cast<int>(kSubmitMs / *first), 1, kMostLaunches);
    if (auto status = warm_up(trial, launches, result_.tried > 1 ? kWarmUpS : kFirstWarmUpS); !status)
      return propagate(status);
    double least = HUGE_VAL;
    for (int round = 0; round < 3; ++round) {
      auto time = trial.time_ms(launches);
      if (!time) return time;
      if (!(*time > 0)) return fail(ErrorCode::device, "it takes no credible time");
      least = std::min(least, *time);
      if (result_.tried > 1 && least > kHopeless * result_.best.time_ms) break;
    }
    return least;
  }

  // An idle GPU lowers its clock, and takes a while to raise it again.
  Status warm_up(const Trial& trial, int launches, double seconds) const {
    for (const auto begin = Clock::now(); !is_software_ && seconds_since(begin) < seconds;) {
      if (auto time = trial.time_ms(launches); !time) return propagate(time);
    }
    return {};
  }

  // Neighbours of the best, one tunable one step away, until none is better.
  void climb() {
    for (Tunings around = {}; to_text(around) != to_text(result_.best.tuning) && !is_over(1.0);) {
      around = result_.best.tuning;
      for (const Tunings& neighbour : neighbours(around)) {
        if (is_over(1.0)) return;
        if (is_legal(info_, task_, neighbour)) consider(neighbour);
      }
    }
  }

  [[nodiscard]] std::vector<Tunings> neighbours(const Tunings& around) const {
    std::vector<Tunings> all;
    const auto tunables = task_.kernel->tunables();
    for (size_t i = 0; i < tunables.size(); ++i) {
      std::vector<uint32_t> values(tunables[i].values.begin(), tunables[i].values.end());
      std::sort(values.begin(), values.end());
      const auto at = std::find(values.begin(), values.end(), around[i].value);
      for (const int step : {-1, 1}) {
        const auto next = at - values.begin() + step;
        if (next < 0 || next >= static_cast<std::ptrdiff_t>(values.size())) continue;
        Tunings neighbour = around;
        neighbour[i].value = values[static_cast<size_t>(next)];
        all.push_back(std::move(neighbour));
      }
    }
    return all;
  }

  // Both again in turn: the best must win beyond noise, or the standard stays.
  Status decide() {
    if (!best_trial_) return {};  // nothing was better
    const int launches = std::clamp(static_cast<int>(kSubmitMs / result_.standard.time_ms), 1, kMostLaunches);
    if (auto status = warm_up(*standard_trial_, launches, kWarmUpS); !status) return status;
    std::vector<double> best_ms, standard_ms;
    for (int round = 0; round < kFinalRounds; ++round) {
      for (const auto& [trial, times] :
           {std::pair{&*standard_trial_, &standard_ms}, std::pair{&*best_trial_, &best_ms}}) {
        auto time = trial->time_ms(launches);
        if (!time) return propagate(time);
        times->push_back(*time);
      }
    }
    result_.standard.time_ms = median(standard_ms);
    result_.best.time_ms = median(best_ms);
    const double noise = spread(best_ms) + spread(standard_ms);
    if (result_.best.time_ms > result_.standard.time_ms - noise) result_.best = result_.standard;
    return {};
  }

  const vkc::Device& device_;
  const kernels::DeviceInfo& info_;
  const Task& task_;
  Reference reference_;
  const SearchOptions& options_;
  bool is_software_;
  Clock::time_point begin_;
  SearchResult result_;
  std::set<std::string> seen_;
  std::optional<Trial> standard_trial_;
  std::optional<Trial> best_trial_;  // if it is not the standard
};

}  // namespace

std::string to_text(const std::vector<kernels::Tuning>& tuning) {
  std::string text;
  for (const kernels::Tuning& tuned : tuning) {
    text += (text.empty() ? "" : " ") + tuned.name + "=" + std::to_string(tuned.value);
  }
  return text;
}

Result<SearchResult> search(const vkc::Device& device, const kernels::DeviceInfo& info,
                            const devicedb::Database& database, const Task& task,
                            const SearchOptions& options) {
  auto legal = legal_tunings(info, task);
  if (legal.empty()) return fail(ErrorCode::device, "no values of its tunables are legal on this device");
  Tunings standard = kernels::complete_tuning(
      *task.kernel, database.tuning(info, task.kernel->id(), kernels::shape_text(task.node(), task.dtype)));
  if (!is_legal(info, task, standard)) standard = legal.front();
  auto reference = make_reference(task);
  if (!reference) return propagate(reference);
  return Search(device, info, task, std::move(*reference), options)
      .run(std::move(standard), std::move(legal));
}

}  // namespace upres::tune
