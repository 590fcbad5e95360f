// In which order rows are computed: bands of rows roll down the picture. Each step computes only rows that
// are new, and buffers keep only the rows that a later step still reads, so nothing is computed twice and
// little memory is needed.
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
  std::vector<size_t> outputs;  // all of them out_rows high
  int out_rows = 0;
  // Rows of input `index` that row `y` of the output reads, clipped to the input; neither end falls when y
  // rises.
  std::function<RowSpan(size_t index, int y)> rows_read;
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
  std::vector<int> held_rows;  // [value]: most rows alive at once; 0 for values that no step writes
};

// Values that no step writes are inputs: of these a band makes `band_rows` more rows readable (of the first;
// in proportion of the others). `heights` are those of all values.
Schedule make_schedule(const std::vector<ScheduledStep>& steps, const std::vector<int>& heights,
                       int band_rows);

}  // namespace upres::session::cpu
