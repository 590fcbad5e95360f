#include "session/cpu/schedule.h"

#include <algorithm>
#include <cstdint>

namespace upres::session::cpu {
namespace {

// Follows the bands; ready_[v] rows of value v exist.
class Roller {
 public:
  Roller(const std::vector<ScheduledStep>& steps, const std::vector<int>& heights)
      : steps_(steps), heights_(heights), ready_(heights.size(), 0), readers_(heights.size()) {
    schedule_.held_rows.assign(heights.size(), 0);
    written_.assign(heights.size(), false);
    for (size_t s = 0; s < steps.size(); ++s) {
      for (size_t i = 0; i < steps[s].inputs.size(); ++i) readers_[steps[s].inputs[i]].push_back({s, i});
      for (const size_t value : steps[s].outputs) written_[value] = true;
    }
    done_.assign(steps.size(), 0);
  }

  Schedule roll(int band_rows) {
    const int total = first_input_rows();
    for (int64_t limit = band_rows;; limit += band_rows) {
      const int readable = static_cast<int>(std::min<int64_t>(limit, total));
      for (size_t v = 0; v < heights_.size(); ++v) {
        if (!written_[v]) ready_[v] = static_cast<int>(int64_t{heights_[v]} * readable / total);
      }
      add_band();
      if (readable == total) return std::move(schedule_);
    }
  }

 private:
  struct Reader {
    size_t step = 0;
    size_t input = 0;
  };

  [[nodiscard]] int first_input_rows() const {
    for (size_t v = 0; v < heights_.size(); ++v) {
      if (!written_[v]) return heights_[v];
    }
    return 1;
  }

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
      const ScheduledStep& step = steps_[reader.step];
      const int next = done_[reader.step];
      if (next < step.out_rows) keep = std::min(keep, step.rows_read(reader.input, next).begin);
    }
    return keep;
  }

  void add_band() {
    std::vector<BandStep> band;
    band.reserve(steps_.size());
    for (size_t s = 0; s < steps_.size(); ++s) {
      const ScheduledStep& step = steps_[s];
      BandStep share;
      for (const size_t value : step.outputs) share.keep_from.push_back(keep_from(value));
      share.rows.begin = done_[s];
      while (done_[s] < step.out_rows && readable(step, done_[s])) ++done_[s];
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
  const std::vector<int>& heights_;
  std::vector<int> ready_;                    // [value]
  std::vector<int> done_;                     // [step]
  std::vector<std::vector<Reader>> readers_;  // [value]
  std::vector<bool> written_;                 // [value]
  Schedule schedule_;
};

}  // namespace

Schedule make_schedule(const std::vector<ScheduledStep>& steps, const std::vector<int>& heights,
                       int band_rows) {
  return Roller(steps, heights).roll(std::max(1, band_rows));
}

}  // namespace upres::session::cpu
