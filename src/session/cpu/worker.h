// One thread's share of a job: the buffers of a strip, used for one strip after the other.
#pragma once

#include <span>
#include <vector>

#include "base/error.h"
#include "session/cpu/program.h"
#include "session/cpu/row_buffer.h"
#include "session/cpu/strip_plan.h"
#include "session/session.h"

namespace upres::session::cpu {

// Thread rule: one thread at a time; several workers of one program at once.
class Worker {
 public:
  Worker(Program& program, int number)
      : program_(program), number_(number), buffers_(program.places.size()) {}

  // Buffers for strips of this plan. Throws std::bad_alloc.
  void prepare(const StripPlan& plan, std::span<const Extent> extents);
  // Computes one strip. Errors: device.
  Status run(const Schedule& strip, const Job& job);

  [[nodiscard]] const std::vector<double>& step_ms() const { return step_ms_; }
  [[nodiscard]] size_t buffer_bytes() const;

 private:
  Status run_step(size_t step, const BandStep& share, const Job& job);

  Program& program_;
  const int number_;
  std::vector<RowBuffer> buffers_;  // [place]
  std::vector<double> step_ms_;     // [step], since prepare()
  std::vector<Rows> inputs_;        // of the step at hand; kept for their memory
  std::vector<MutableRows> outputs_;
};

}  // namespace upres::session::cpu
