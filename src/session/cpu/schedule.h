// In which order rows are computed. A picture is cut into strips, one after the other for each thread; within
// a strip bands of rows roll down: each step computes only rows that are new, and buffers keep only the rows
// that a later step still reads. So within a strip nothing is computed twice, little memory is needed, and
// threads never wait for each other.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace upres::session::cpu {

struct RowSpan {
  int begin = 0;
  int end = 0;  // after the last
  [[nodiscard]] int size() const { return end - begin; }
  friend bool operator==(const RowSpan&, const RowSpan&) = default;
};

// A step as the schedule sees it: values are numbered, each written by one step at most.
struct ScheduledStep {
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;  // all of the same height
  // Rows of input `index` that row `y` of the output reads, clipped to the input; neither end falls when y
  // rises.
  std::function<RowSpan(size_t index, int y)> rows_read;
  // The step had rather stop at rows y with (y + row_phase) % row_multiple == 0.
  int row_multiple = 1;
  int row_phase = 0;
};

// What of the whole a schedule is for.
struct StripRequest {
  std::vector<int> heights;     // [value]
  std::vector<RowSpan> wanted;  // [value]: rows to deliver; empty for values that are only on the way
  int band_rows = 1;            // rows of the first input that a band goes on
};

// One step's share of a band.
struct BandStep {
  RowSpan rows;  // of the outputs; may be empty
  // For each output: the first row that somebody still reads when this share begins. Earlier ones may be
  // dropped.
  std::vector<int> keep_from;
};

struct Schedule {
  std::vector<std::vector<BandStep>> bands;  // [band][step]
  std::vector<int> first_rows;  // [value]: the first row written; 0 for values that no step writes
  std::vector<int> held_rows;   // [value]: most rows alive at once; 0 for values that no step writes
};

// Steps in topological order. Values that no step writes are inputs, all rows of which can be read; bands are
// paced by the first of them.
Schedule make_schedule(const std::vector<ScheduledStep>& steps, const StripRequest& request);

}  // namespace upres::session::cpu
