#include "session/gpu/pace.h"

#include <algorithm>

namespace upres::session {
namespace {

// Before anything ran: half of what plain loops reach on one CPU core.
constexpr double kFirstFlopsPerMs = 5e5;
constexpr double kFirstBytesPerMs = 5e5;
// How much slower the unknown is taken to be than the slowest known.
constexpr double kCaution = 2.0;
// Share of the limit that is planned for: clocks and other users of the device vary.
constexpr double kPlannedShare = 0.8;
// Share of the old sums that stays when something new is learned.
constexpr double kMemory = 0.5;
// A submit's timestamps have so many entries but one.
constexpr size_t kMaxSegments = 63;

double work(const plan::Step& step, uint32_t rows) {
  const uint64_t whole = step.flops > 0 ? step.flops : step.bytes;
  return static_cast<double>(whole) * rows / std::max(1U, step.grid.rows);
}

// Rows that one row of groups computes.
uint32_t group_rows(const plan::Step& step) { return step.grid.persistent ? 1 : step.choice.group_size.y; }

}  // namespace

Pace::Pace(double max_submit_ms, size_t nodes) : max_submit_ms_(max_submit_ms), rates_(nodes) {}

double Pace::ms_per_work(const plan::Step& step) const {
  const Rate& own = rates_[step.node_index];
  if (own.work > 0) return own.ms / own.work;
  const bool flops = step.flops > 0;
  double slowest = 0;
  for (const Rate& rate : rates_) {
    if (rate.work > 0 && rate.flops == flops) slowest = std::max(slowest, rate.ms / rate.work);
  }
  if (slowest > 0) return kCaution * slowest;
  return 1.0 / (flops ? kFirstFlopsPerMs : kFirstBytesPerMs);
}

double Pace::expected_ms(const plan::Step& step, uint32_t rows) const {
  return work(step, rows) * ms_per_work(step);
}

uint32_t Pace::rows_within(const plan::Step& step, uint32_t rows, double ms) const {
  const double row_ms = expected_ms(step, 1);
  if (row_ms * rows <= ms) return rows;
  const auto fitting = static_cast<uint32_t>(std::max(0.0, ms / row_ms));
  return std::min(rows, fitting / group_rows(step) * group_rows(step));
}

std::vector<Segment> Pace::cut(const plan::Plan& plan, Cursor& cursor) const {
  const uint64_t max_groups = plan.chosen->device.limits.max_group_count[1];
  std::vector<Segment> segments;
  double left_ms = kPlannedShare * max_submit_ms_;
  while (cursor.step < plan.steps.size() && segments.size() < kMaxSegments) {
    const plan::Step& step = plan.steps[cursor.step];
    const uint32_t left_rows = step.grid.rows - cursor.row;
    uint32_t rows = rows_within(step, left_rows, left_ms);
    if (rows == 0 && segments.empty()) rows = std::min(left_rows, group_rows(step));
    if (!step.grid.persistent)
      rows = static_cast<uint32_t>(std::min<uint64_t>(rows, max_groups * group_rows(step)));
    if (rows == 0 && left_rows > 0) break;
    if (rows > 0) segments.push_back({cursor.step, cursor.row, cursor.row + rows});
    left_ms -= expected_ms(step, rows);
    cursor = rows == left_rows ? Cursor{cursor.step + 1, 0} : Cursor{cursor.step, cursor.row + rows};
  }
  return segments;
}

void Pace::learn(const plan::Step& step, uint32_t rows, double device_ms) {
  const double done = work(step, rows);
  if (!(device_ms > 0) || !(done > 0)) return;
  Rate& rate = rates_[step.node_index];
  // Slower than thought counts at once; faster is believed as it repeats, long runs more than short ones.
  const bool slower = rate.work > 0 && device_ms / done > rate.ms / rate.work;
  const double memory = slower ? 0 : kMemory;
  rate = {memory * rate.ms + device_ms, memory * rate.work + done, step.flops > 0};
}

}  // namespace upres::session
