// How a job of one size is cut into strips, and the buffers that a strip needs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "session/cpu/program.h"
#include "session/cpu/schedule.h"

namespace upres::session::cpu {

struct StripPlan {
  std::vector<Schedule> strips;    // from top to bottom
  std::vector<int> capacity_rows;  // [place]: rows of its buffer; 0 where it has none
  int band_rows = 1;
};

// What the cut depends on besides the sizes. None of it changes results.
struct StripOptions {
  int threads = 1;
  int band_rows = 0;   // 0: chosen here
  int overlap_px = 0;  // input rows that two neighbouring strips both read
};

// `extents` are those of all values. The program's steps must be prepared for this job.
StripPlan make_strip_plan(const Program& program, std::span<const Extent> extents,
                          const StripOptions& options);

}  // namespace upres::session::cpu
