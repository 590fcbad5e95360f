// Measures in a worker process, so that a candidate that kills or hangs it costs a new worker and no more.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tune/runner.h"
#include "tune/worker_process.h"

namespace upres::tune {

struct WorkerOptions {
  std::vector<std::string> command;  // the program and its arguments; it serves (worker.h)
  double start_s = 30;               // the most that it may take until it is ready
  double candidate_s = 10;  // the most that a candidate may take, if not kSlowStandard times the standard
  std::function<bool()> cancelled = {};
};

// The worker is started when it is needed first, and again after it ended. What ended it, or did not answer
// in time, is an error of that candidate (device). It answers cancelled where it was only the caller's time
// that was too short. Errors also: input (it cannot be started, or what it says is no answer).
class WorkerRunner final : public Runner {
 public:
  explicit WorkerRunner(WorkerOptions options) : options_(std::move(options)) {}

  Result<Timing> measure(const Task& task, const Parameters& parameters,
                         const MeasureLimits& limits) override;
  Result<Duel> duel(const Task& task, const Parameters& standard, const Parameters& best,
                    double left_s) override;

  // How many workers were started.
  [[nodiscard]] int starts() const { return starts_; }

 private:
  Status start(double left_s);
  Status start_once(double left_s);
  Result<std::string> ask(const std::string& request, double left_s, double cap_s);

  WorkerOptions options_;
  std::optional<WorkerProcess> worker_;
  std::string task_;       // the last one
  double standard_s_ = 0;  // what the first candidate of it took
  int starts_ = 0;
};

}  // namespace upres::tune
