#include "session/cpu/strip_plan.h"

#include <algorithm>
#include <cstdint>

#include "session/cpu/row_buffer.h"

namespace upres::session::cpu {
namespace {

// Band height where the widest layer's rows are short: lower ones cost calls, higher ones cache
// (bench/README.md).
constexpr int kBandRows = 4;
// Buffers of one worker may take this much; wide pictures get lower bands.
constexpr double kWorkerBudget_bytes = 64.0 * (1 << 20);
// Buffers are this many bands longer than they must be, so that rows move to the front only now and then.
constexpr int kSlackBands = 1;
// A strip is at least this many times as high as what it computes twice.
constexpr int kStripPerOverlap = 6;
// Strips for each thread, where the picture is high enough: a thread that is slowed down gets fewer.
constexpr int kStripsPerThread = 2;

class Planner {
 public:
  Planner(const Program& program, std::span<const Extent> extents, const StripOptions& options)
      : program_(program), extents_(extents), options_(options) {}

  StripPlan plan() {
    StripPlan plan;
    plan.band_rows = options_.band_rows > 0 ? options_.band_rows : choose_band_rows();
    const std::vector<ScheduledStep> steps = scheduled_steps();
    const int count = strip_count();
    for (int strip = 0; strip < count; ++strip) {
      plan.strips.push_back(make_schedule(steps, request(strip, count, plan.band_rows)));
    }
    plan.capacity_rows.resize(program_.places.size());
    for (size_t p = 0; p < program_.places.size(); ++p) plan.capacity_rows[p] = capacity(plan, p);
    return plan;
  }

 private:
  [[nodiscard]] const Extent& extent(const Place& place) const { return extents_[place.value]; }

  [[nodiscard]] int input_rows() const {
    for (const Place& place : program_.places) {
      if (place.kind == Place::Kind::job_input) return extent(place).height_px;
    }
    return 1;
  }

  [[nodiscard]] int strip_count() const {
    const int rows = input_rows();
    const int highest_count = std::max(1, rows / std::max(1, kStripPerOverlap * options_.overlap_px));
    return std::min({highest_count, rows, options_.threads == 1 ? 1 : options_.threads * kStripsPerThread});
  }

  [[nodiscard]] std::vector<ScheduledStep> scheduled_steps() const {
    std::vector<ScheduledStep> steps;
    for (const ProgramStep& step : program_.steps) {
      const Step::RowGrid grid = step.step->row_grid();
      ScheduledStep scheduled = {.inputs = step.inputs,
                                 .outputs = step.outputs,
                                 .rows_read = {},
                                 .row_multiple = grid.multiple,
                                 .row_phase = grid.phase};
      std::erase_if(scheduled.outputs, [this](size_t place) { return program_.places[place].flat; });
      scheduled.rows_read = [&step](size_t index, int y) { return step.step->rows_read(index, y); };
      steps.push_back(std::move(scheduled));
    }
    return steps;
  }

  [[nodiscard]] StripRequest request(int strip, int count, int band_rows) const {
    StripRequest request = {.heights = {}, .wanted = {}, .band_rows = band_rows};
    for (const Place& place : program_.places) {
      const int64_t height = extent(place).height_px;
      const bool wanted = place.kind == Place::Kind::job_output && !place.flat;
      const auto cut = [&](int64_t i) { return static_cast<int>(height * i / count); };
      request.wanted.push_back(wanted ? RowSpan{cut(strip), cut(strip + 1)} : RowSpan{});
    }
    return request;
  }

  [[nodiscard]] int choose_band_rows() const {
    double bytes = 0;  // that one more input row costs in all buffers
    for (const Place& place : program_.places) {
      if (place.kind != Place::Kind::buffer || place.flat) continue;
      const auto row = static_cast<double>(row_bytes(place.form, place.channels, extent(place).width_px));
      bytes += row * extent(place).height_px / input_rows();
    }
    const double affordable = kWorkerBudget_bytes / ((1 + kSlackBands) * std::max(bytes, 1.0));
    return std::clamp(static_cast<int>(std::min(affordable, 1e6)), 1, kBandRows);
  }

  [[nodiscard]] int capacity(const StripPlan& plan, size_t p) const {
    const Place& place = program_.places[p];
    if (place.kind != Place::Kind::buffer) return 0;
    if (place.flat) return 1;
    int held = 1;
    for (const Schedule& strip : plan.strips) held = std::max(held, strip.held_rows[p]);
    const double scale = static_cast<double>(extent(place).height_px) / input_rows();
    const double slack = kSlackBands * plan.band_rows * scale;
    return static_cast<int>(std::min<double>(extent(place).height_px, held + slack));
  }

  const Program& program_;
  std::span<const Extent> extents_;
  const StripOptions options_;
};

}  // namespace

StripPlan make_strip_plan(const Program& program, std::span<const Extent> extents,
                          const StripOptions& options) {
  return Planner(program, extents, options).plan();
}

}  // namespace upres::session::cpu
