#include "session/cpu/schedule.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace upres::session::cpu {
namespace {

// The smallest span that holds both; an empty one holds nothing.
RowSpan united(const RowSpan& a, const RowSpan& b) {
  if (a.size() <= 0) return b;
  if (b.size() <= 0) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Which rows of each value a strip needs, from its outputs back to the inputs.
std::vector<RowSpan> needed_rows(const std::vector<ScheduledStep>& steps, const StripRequest& request) {
  std::vector<RowSpan> needed = request.wanted;
  for (size_t s = steps.size(); s-- > 0;) {
    const ScheduledStep& step = steps[s];
    RowSpan rows;
    for (const size_t value : step.outputs) rows = united(rows, needed[value]);
    for (const size_t value : step.outputs) needed[value] = rows;
    if (rows.size() <= 0) continue;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const RowSpan read{step.rows_read(i, rows.begin).begin, step.rows_read(i, rows.end - 1).end};
      needed[step.inputs[i]] = united(needed[step.inputs[i]], read);
    }
  }
  return needed;
}

// Follows the bands down a strip; rows before ready_[v] of value v exist.
class Roller {
 public:
  Roller(const std::vector<ScheduledStep>& steps, const StripRequest& request)
      : steps_(steps),
        needed_(needed_rows(steps, request)),
        readers_(needed_.size()),
        written_(needed_.size(), false) {
    for (size_t s = 0; s < steps.size(); ++s) {
      for (size_t i = 0; i < steps[s].inputs.size(); ++i) readers_[steps[s].inputs[i]].push_back({s, i});
      for (const size_t value : steps[s].outputs) written_[value] = true;
    }
    for (const ScheduledStep& step : steps) done_.push_back(needed_[step.outputs.front()].begin);
    for (const RowSpan& rows : needed_) ready_.push_back(rows.begin);
    schedule_.held_rows.assign(needed_.size(), 0);
    schedule_.first_rows.assign(needed_.size(), 0);
    for (size_t v = 0; v < needed_.size(); ++v) {
      if (written_[v]) schedule_.first_rows[v] = needed_[v].begin;
    }
  }

  Schedule roll(int band_rows) {
    const RowSpan pace = first_input();
    for (int64_t limit = int64_t{pace.begin} + band_rows;; limit += band_rows) {
      const bool last = limit >= pace.end;
      for (size_t v = 0; v < needed_.size(); ++v) {
        if (written_[v]) continue;
        const int64_t part = (limit - pace.begin) * needed_[v].size() / std::max(1, pace.size());
        ready_[v] = last ? needed_[v].end : needed_[v].begin + static_cast<int>(part);
      }
      add_band();
      if (last) return std::move(schedule_);
    }
  }

 private:
  struct Reader {
    size_t step = 0;
    size_t input = 0;
  };

  [[nodiscard]] RowSpan first_input() const {
    for (size_t v = 0; v < needed_.size(); ++v) {
      if (!written_[v] && needed_[v].size() > 0) return needed_[v];
    }
    return {0, 1};
  }

  [[nodiscard]] int end(size_t s) const { return needed_[steps_[s].outputs.front()].end; }

  [[nodiscard]] bool readable(const ScheduledStep& step, int y) const {
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.rows_read(i, y).end > ready_[step.inputs[i]]) return false;
    }
    return true;
  }

  // First row of a value that its readers still need.
  [[nodiscard]] int keep_from(size_t value) const {
    int keep = ready_[value];
    for (const Reader& reader : readers_[value]) {
      const int next = done_[reader.step];
      if (next < end(reader.step))
        keep = std::min(keep, steps_[reader.step].rows_read(reader.input, next).begin);
    }
    return std::max(keep, needed_[value].begin);
  }

  void add_band() {
    std::vector<BandStep> band;
    band.reserve(steps_.size());
    for (size_t s = 0; s < steps_.size(); ++s) {
      const ScheduledStep& step = steps_[s];
      BandStep share;
      for (const size_t value : step.outputs) share.keep_from.push_back(keep_from(value));
      share.rows.begin = done_[s];
      while (done_[s] < end(s) && readable(step, done_[s])) ++done_[s];
      if (done_[s] < end(s)) {
        const int beyond = (done_[s] + step.row_phase) % step.row_multiple;
        done_[s] = std::max(share.rows.begin, done_[s] - beyond);
      }
      share.rows.end = done_[s];
      for (size_t i = 0; i < step.outputs.size(); ++i) {
        const size_t value = step.outputs[i];
        ready_[value] = done_[s];
        schedule_.held_rows[value] = std::max(schedule_.held_rows[value], done_[s] - share.keep_from[i]);
      }
      band.push_back(std::move(share));
    }
    schedule_.bands.push_back(std::move(band));
  }

  const std::vector<ScheduledStep>& steps_;
  std::vector<RowSpan> needed_;               // [value]
  std::vector<std::vector<Reader>> readers_;  // [value]
  std::vector<bool> written_;                 // [value]
  std::vector<int> done_;                     // [step]
  std::vector<int> ready_;                    // [value]
  Schedule schedule_;
};

}  // namespace

Schedule make_schedule(const std::vector<ScheduledStep>& steps, const StripRequest& request) {
  return Roller(steps, request).roll(std::max(1, request.band_rows));
}

}  // namespace upres::session::cpu
