// How much work goes into one submit. Knows no Vulkan: times come in, ranges of rows go out.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace upres::session {

// Rows of one step.
struct Segment {
  uint32_t step = 0;  // index into Plan::steps
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

// The first row that is not yet submitted.
struct Cursor {
  uint32_t step = 0;
  uint32_t row = 0;
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

// Learns how long each node's work takes (per flop, or per byte where a step has no flops) from what ran, and
// cuts plans into submits by it. What has not run yet is taken to be twice as slow as the slowest that has,
// or as on a slow CPU. A limit in time is kept as well as the past foretells; it never changes what is
// computed.
class Pace {
 public:
  // max_submit_ms above 0; nodes: of the graph that all plans belong to.
  Pace(double max_submit_ms, size_t nodes);

  // What to submit next, from the cursor on, and moves the cursor behind it; empty at the plan's end.
  // Segments are whole rows of groups, at least one, and no more than fit one dispatch in y.
  std::vector<Segment> cut(const plan::Plan& plan, Cursor& cursor) const;

  // Device time that these rows are expected to take.
  [[nodiscard]] double expected_ms(const plan::Step& step, uint32_t rows) const;
  // Whether the step at the cursor has run before.
  [[nodiscard]] bool knows(const plan::Step& step) const { return rates_[step.node_index].work > 0; }
  // These rows took so long.
  void learn(const plan::Step& step, uint32_t rows, double device_ms);

 private:
  // Sums in which the past fades.
  struct Rate {
    double ms = 0;
    double work = 0;
    bool flops = false;  // what work counts: flops or bytes
  };
  [[nodiscard]] double ms_per_work(const plan::Step& step) const;
  [[nodiscard]] uint32_t rows_within(const plan::Step& step, uint32_t rows, double ms) const;

  double max_submit_ms_;
  std::vector<Rate> rates_;  // by node
};

}  // namespace upres::session
