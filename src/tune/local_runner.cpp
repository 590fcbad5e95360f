#include <algorithm>
#include <chrono>
#include <cmath>

#include "tune/runner.h"

namespace upres::tune {
namespace {

constexpr double kMostCompileMs = 2000;
constexpr double kSubmitMs = 4;  // of launches timed together
constexpr int kMostLaunches = 64;
constexpr int kRounds = 3;
constexpr double kFarBehind = 4;  // times what is hopeless: not even warmed up for
constexpr double kPauseS = 0.5;   // after which a GPU may have lowered its clock
constexpr int kDuelRounds = 15;
constexpr int kLeastDuelRounds = 3;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int launches_for(double time_ms) {
  return std::clamp(static_cast<int>(kSubmitMs / time_ms), 1, kMostLaunches);
}

tl::unexpected<Error> no_time_left() { return fail(ErrorCode::cancelled, "no time is left"); }

Result<double> credible_time_ms(const Trial& trial, int launches) {
  auto time = trial.time_ms(launches);
  if (time && !(*time > 0 && std::isfinite(*time)))
    return fail(ErrorCode::device, "it takes no credible time");
  return time;
}

// The least of some rounds, unless the first ones are hopeless.
Result<double> least_time_ms(const Trial& trial, int launches, const MeasureLimits& limits, double end_s) {
  double least = HUGE_VAL;
  for (int round = 0; round < kRounds; ++round) {
    const auto time = credible_time_ms(trial, launches);
    if (!time) return time;
    least = std::min(least, *time);
    if ((limits.hopeless_ms > 0 && least > limits.hopeless_ms) || now_s() > end_s) break;
  }
  return least;
}

Result<Trial> checked_trial(const vkc::Device& device, const Task& task, const Parameters& parameters,
                            const Reference& reference) {
  auto trial = Trial::create(device, task, parameters);
  if (!trial) return trial;
  if (trial->compile_ms() > kMostCompileMs) {
    return fail(ErrorCode::device,
                "it compiles for " + std::to_string(std::lround(trial->compile_ms())) + " ms");
  }
  if (auto checked = trial->check(reference); !checked) return propagate(checked);
  return trial;
}

}  // namespace

LocalRunner::LocalRunner(vkc::Device device, const WarmUp& warm_up, const Extent& check_extent)
    : device_(std::move(device)),
      warm_up_(warm_up),
      check_extent_(check_extent),
      is_software_(device_.properties().type == vkc::DeviceType::software) {}

LocalRunner::~LocalRunner() = default;

Result<const Reference*> LocalRunner::reference_of(const Task& task) {
  const std::string name = exact_text(task);
  if (const auto known = references_.find(name); known != references_.end()) return &known->second;
  auto made = make_reference(task, check_extent_);
  if (!made) return fail(ErrorCode::device, made.error().message);
  return &references_.emplace(name, std::move(*made)).first->second;
}

Status LocalRunner::warm_up(const Trial& trial, int launches) {
  const double begin_s = now_s();
  const double length_s = begin_s - last_launch_s_ > kPauseS ? warm_up_.first_s : warm_up_.between_s;
  while (!is_software_ && now_s() - begin_s < length_s) {
    if (auto time = trial.time_ms(launches); !time) return propagate(time);
  }
  return {};
}

Result<Timing> LocalRunner::measure(const Task& task, const Parameters& parameters,
                                    const MeasureLimits& limits) {
  const double end_s = now_s() + limits.left_s;
  const auto reference = reference_of(task);
  if (!reference) return tl::unexpected(reference.error());
  if (now_s() > end_s) return no_time_left();
  const auto trial = checked_trial(device_, task, parameters, **reference);
  if (!trial) return tl::unexpected(trial.error());
  const auto first = credible_time_ms(*trial, 1);
  if (!first) return tl::unexpected(first.error());
  Timing timing{*first, trial->compile_ms()};
  const bool is_far_behind = limits.hopeless_ms > 0 && *first > kFarBehind * limits.hopeless_ms;
  if (is_far_behind) return timing;
  if (now_s() > end_s) return no_time_left();
  const int launches = launches_for(*first);
  if (auto status = warm_up(*trial, launches); !status) return propagate(status);
  const auto least = least_time_ms(*trial, launches, limits, end_s);
  if (!least) return tl::unexpected(least.error());
  last_launch_s_ = now_s();
  timing.time_ms = *least;
  return timing;
}

Result<Duel> LocalRunner::duel(const Task& task, const Parameters& standard, const Parameters& best,
                               double left_s) {
  const double end_s = now_s() + left_s;
  const auto reference = reference_of(task);
  if (!reference) return tl::unexpected(reference.error());
  const auto first = checked_trial(device_, task, standard, **reference);
  if (!first) return tl::unexpected(first.error());
  const auto second = checked_trial(device_, task, best, **reference);
  if (!second) return tl::unexpected(second.error());
  const auto once = credible_time_ms(*first, 1);
  if (!once) return tl::unexpected(once.error());
  const int launches = launches_for(*once);
  if (auto status = warm_up(*first, launches); !status) return propagate(status);
  Duel duel;
  for (int round = 0; round < kDuelRounds; ++round) {
    if (now_s() > end_s) break;
    for (const auto& [trial, times] :
         {std::pair{&*first, &duel.standard_ms}, std::pair{&*second, &duel.best_ms}}) {
      const auto time = credible_time_ms(*trial, launches);
      if (!time) return tl::unexpected(time.error());
      times->push_back(*time);
    }
  }
  last_launch_s_ = now_s();
  if (duel.best_ms.size() < kLeastDuelRounds) return no_time_left();
  return duel;
}

}  // namespace upres::tune
