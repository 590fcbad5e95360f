#include "tune/worker_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tune/worker.h"

namespace upres::tune {
namespace {

constexpr double kStandardS = 60;    // the most that the first candidate of a task may take
constexpr double kSlowStandard = 3;  // times the first: the most that others may take
constexpr double kAnswerS = 0.25;    // beyond what the worker was told, until it is ended

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

tl::unexpected<Error> no_time_left() { return fail(ErrorCode::cancelled, "no time is left"); }

}  // namespace

// A second try for what somebody else may have ended.
Status WorkerRunner::start(double left_s) {
  const double begin_s = now_s();
  if (worker_ && worker_->is_running()) return {};
  auto first = start_once(left_s);
  if (first || first.error().code != ErrorCode::device) return first;
  auto second = start_once(left_s - (now_s() - begin_s));
  if (second || second.error().code != ErrorCode::device) return second;
  return fail(ErrorCode::input, "the worker that measures does not start: " + second.error().message);
}

Status WorkerRunner::start_once(double left_s) {
  worker_.reset();
  if (left_s <= 0) return no_time_left();
  auto started = WorkerProcess::start(options_.command);
  if (!started) return propagate(started);
  const double begin_s = now_s();
  ++starts_;
  worker_.emplace(std::move(*started));
  const auto line = worker_->ask("", std::min(options_.start_s, left_s), options_.cancelled);
  if (line && is_ready(*line)) return {};
  worker_.reset();
  if (!line && line.error().code == ErrorCode::device && now_s() - begin_s >= left_s) return no_time_left();
  return line ? Status(fail(ErrorCode::device, "it says " + line->substr(0, 200)))
              : Status(tl::unexpected(line.error()));
}

Result<std::string> WorkerRunner::ask(const std::string& request, double left_s, double cap_s) {
  const double most_s = std::min(cap_s, left_s + kAnswerS);
  auto answer = worker_->ask(request, most_s, options_.cancelled);
  if (answer) return answer;
  worker_.reset();
  if (answer.error().code == ErrorCode::cancelled) return answer;
  return fail(ErrorCode::device, answer.error().in_context("the process that tried it").message);
}

Result<Timing> WorkerRunner::measure(const Task& task, const Parameters& parameters,
                                     const MeasureLimits& limits) {
  const double begin_s = now_s();
  if (auto started = start(limits.left_s); !started) return propagate(started);
  const std::string name = exact_text(task);
  const bool is_first = name != task_;
  const double cap_s = is_first ? kStandardS : std::max(options_.candidate_s, kSlowStandard * standard_s_);
  const double left_s = limits.left_s - (now_s() - begin_s);
  if (left_s <= 0) return no_time_left();
  const double asked_s = now_s();
  const auto text = ask(measure_request(task, parameters, {limits.hopeless_ms, left_s}), left_s, cap_s);
  if (is_first) {
    task_ = name;
    standard_s_ = now_s() - asked_s;
  }
  if (!text) {
    const bool is_out_of_time = left_s + kAnswerS <= cap_s && now_s() - asked_s >= left_s;
    return is_out_of_time ? no_time_left() : tl::unexpected(text.error());
  }
  return read_timing(*text);
}

Result<Duel> WorkerRunner::duel(const Task& task, const Parameters& standard, const Parameters& best,
                                double left_s) {
  const double begin_s = now_s();
  if (auto started = start(left_s); !started) return propagate(started);
  left_s -= now_s() - begin_s;
  if (left_s <= 0) return no_time_left();
  const double asked_s = now_s();
  const auto text = ask(duel_request(task, standard, best, left_s), left_s, HUGE_VAL);
  if (!text) return now_s() - asked_s >= left_s ? no_time_left() : tl::unexpected(text.error());
  return read_duel(*text);
}

}  // namespace upres::tune
