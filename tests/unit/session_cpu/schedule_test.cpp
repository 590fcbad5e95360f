// Rolling bands: what is computed when, and what is kept.
#include "session/cpu/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace upres::session::cpu {
namespace {

// A convolution of `taps` rows, `before` of them above, on values of equal height.
ScheduledStep conv(size_t in, size_t out, int before, int taps, int height) {
  return {{in}, {out}, [=](size_t, int y) {
            return RowSpan{std::clamp(y - before, 0, height), std::clamp(y - before + taps, 0, height)};
          }};
}

// Three convolutions one after the other.
std::vector<ScheduledStep> three_convs(int height) {
  return {conv(0, 1, 2, 5, height), conv(1, 2, 1, 3, height), conv(2, 3, 1, 3, height)};
}

StripRequest whole(int height, int band_rows) {
  return {std::vector<int>(4, height), {{}, {}, {}, {0, height}}, band_rows};
}

TEST(Schedule, EveryRowIsComputedOnceAndAfterWhatItReads) {
  for (const int height : {1, 2, 7, 40}) {
    for (const int band_rows : {1, 2, 5, 100}) {
      const auto steps = three_convs(height);
      const Schedule schedule = make_schedule(steps, whole(height, band_rows));
      std::vector<int> ready = {height, 0, 0, 0};
      for (const auto& band : schedule.bands) {
        for (size_t s = 0; s < steps.size(); ++s) {
          EXPECT_EQ(band[s].rows.begin, ready[s + 1]);
          for (int y = band[s].rows.begin; y < band[s].rows.end; ++y) {
            EXPECT_LE(steps[s].rows_read(0, y).end, ready[s]);
          }
          ready[s + 1] = band[s].rows.end;
        }
      }
      EXPECT_EQ(ready, std::vector<int>(4, height));
    }
  }
}

TEST(Schedule, RowsAreKeptUntilTheirLastReader) {
  const int height = 40;
  const auto steps = three_convs(height);
  const Schedule schedule = make_schedule(steps, whole(height, 3));
  std::vector<int> kept(4, 0);
  for (const auto& band : schedule.bands) {
    for (size_t s = 0; s < steps.size(); ++s) {
      for (int y = band[s].rows.begin; s > 0 && y < band[s].rows.end; ++y) {
        EXPECT_GE(steps[s].rows_read(0, y).begin, kept[s]);
      }
      kept[s + 1] = band[s].keep_from[0];
    }
  }
}

TEST(Schedule, LittleIsHeld) {
  const Schedule schedule = make_schedule(three_convs(1000), whole(1000, 8));
  // A band, the rows that the next one still reads, and those that the last band has more.
  for (const size_t value : {size_t{1}, size_t{2}}) EXPECT_LE(schedule.held_rows[value], 8 + 2 + 3);
  EXPECT_GE(schedule.bands.size(), 125U);
}

TEST(Schedule, StripsComputeTheirRowsAndWhatThoseRead) {
  const int height = 100;
  StripRequest request = whole(height, 4);
  request.wanted[3] = {30, 60};
  const Schedule schedule = make_schedule(three_convs(height), request);
  EXPECT_EQ(schedule.first_rows, (std::vector<int>{0, 28, 29, 30}));
  EXPECT_EQ(schedule.bands.back()[0].rows.end, 62);
  EXPECT_EQ(schedule.bands.back()[1].rows.end, 61);
  EXPECT_EQ(schedule.bands.back()[2].rows.end, 60);
}

TEST(Schedule, TwoReadersOfDifferentReach) {
  const int height = 50;
  // Value 1 is read by a convolution and, beside it, by a step that mixes it with the convolution's result.
  std::vector<ScheduledStep> steps = {conv(0, 1, 1, 3, height), conv(1, 2, 4, 9, height)};
  steps.push_back({{1, 2}, {3}, [](size_t, int y) { return RowSpan{y, y + 1}; }});
  const Schedule schedule = make_schedule(steps, whole(height, 5));
  EXPECT_EQ(schedule.bands.back()[2].rows.end, height);
  EXPECT_GE(schedule.held_rows[1], 9);
  EXPECT_LE(schedule.held_rows[1], 9 + 5 + 5);
}

}  // namespace
}  // namespace upres::session::cpu
