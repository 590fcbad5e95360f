// Who measures candidates for a search: in this process, or in a worker that may die of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <vkc/device.h>

#include "base/error.h"
#include "tune/task.h"
#include "tune/trial.h"

namespace upres::tune {

// Values of a kernel's tunables.
using Parameters = std::vector<kernels::Tuning>;

struct Timing {
  double time_ms = 0;     // of one launch on the device
  double compile_ms = 0;  // of the kernel
};

struct MeasureLimits {
  double hopeless_ms = 0;  // a candidate that is clearly slower need not be measured well; 0: all are
  double left_s = 0;       // what may be spent
};

// Times of the same number of launches, taken in turn.
struct Duel {
  std::vector<double> standard_ms;
  std::vector<double> best_ms;
};

// One thread at a time. Errors of its members: device (there is something wrong with the candidate: it does
// not compile, compiles for over 2 s, computes a wrong result, takes no credible time, or kills or hangs the
// worker), cancelled (no time is left, or the caller wants to stop: nothing is known of the candidate), input
// (nothing can be measured at all).
class Runner {
 public:
  virtual ~Runner() = default;
  // Compiles, compares with the plain reference, times.
  virtual Result<Timing> measure(const Task& task, const Parameters& parameters,
                                 const MeasureLimits& limits) = 0;
  virtual Result<Duel> duel(const Task& task, const Parameters& standard, const Parameters& best,
                            double left_s) = 0;
};

// An idle GPU lowers its clock, and takes a while to raise it again.
struct WarmUp {
  double first_s = 0.6;  // after a pause
  double between_s = 0.08;
};

// In this process: nothing stops a compiler or a driver that has begun.
class LocalRunner final : public Runner {
 public:
  // check_extent: of the small picture that candidates are checked on.
  explicit LocalRunner(vkc::Device device, const WarmUp& warm_up = {},
                       const Extent& check_extent = kCheckExtent);
  ~LocalRunner() override;

  Result<Timing> measure(const Task& task, const Parameters& parameters,
                         const MeasureLimits& limits) override;
  Result<Duel> duel(const Task& task, const Parameters& standard, const Parameters& best,
                    double left_s) override;

 private:
  Result<const Reference*> reference_of(const Task& task);
  Status warm_up(const Trial& trial, int launches);

  vkc::Device device_;
  WarmUp warm_up_;
  Extent check_extent_;
  bool is_software_ = false;
  double last_launch_s_ = -1e9;
  std::map<std::string, Reference> references_;  // by task
};

}  // namespace upres::tune
