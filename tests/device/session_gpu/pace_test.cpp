#include "session/gpu/pace.h"

#include <gtest/gtest.h>

#include "devicedb/devicedb.h"
#include "unit/plan/networks.h"

namespace upres::session {
namespace {

plan::Plan make_plan(const Extent& extent, const kernels::DeviceLimits& limits = {}) {
  kernels::DeviceInfo device;
  device.name = "test";
  device.limits = limits;
  const auto graph = testing::with_ends(testing::espcn(1, 1, 2, 16));
  const auto chosen = plan::choose_kernels(graph, device, devicedb::Database::embedded());
  EXPECT_TRUE(chosen) << chosen.error().text();
  const std::vector inputs = {extent};
  auto plan = plan::make_plan(*chosen, inputs);
  EXPECT_TRUE(plan) << plan.error().text();
  return std::move(*plan);
}

size_t node_count(const plan::Plan& plan) { return plan.chosen->nodes.size(); }

// All submits of a plan.
std::vector<std::vector<Segment>> cut_all(const Pace& pace, const plan::Plan& plan) {
  std::vector<std::vector<Segment>> submits;
  Cursor cursor;
  while (cursor.step < plan.steps.size()) {
    submits.push_back(pace.cut(plan, cursor));
    if (submits.back().empty()) ADD_FAILURE() << "no progress";
    if (submits.back().empty()) break;
  }
  return submits;
}

void expect_each_row_once_in_order(const std::vector<std::vector<Segment>>& submits, const plan::Plan& plan) {
  Cursor next;
  for (const auto& submit : submits) {
    for (const Segment& segment : submit) {
      EXPECT_EQ(segment.step, next.step);
      EXPECT_EQ(segment.row_begin, next.row);
      EXPECT_GT(segment.row_end, segment.row_begin);
      const bool ends = segment.row_end == plan.steps[segment.step].grid.rows;
      EXPECT_TRUE(ends ||
                  (segment.row_end - segment.row_begin) % plan.steps[segment.step].choice.group_size.y == 0);
      next = ends ? Cursor{next.step + 1, 0} : Cursor{next.step, segment.row_end};
    }
  }
  EXPECT_EQ(next, (Cursor{static_cast<uint32_t>(plan.steps.size()), 0}));
}

double expected_ms(const Pace& pace, const plan::Plan& plan, const std::vector<Segment>& submit) {
  double ms = 0;
  for (const Segment& segment : submit) {
    ms += pace.expected_ms(plan.steps[segment.step], segment.row_end - segment.row_begin);
  }
  return ms;
}

TEST(Pace, EachRowOnceInOrderWithinTheLimit) {
  for (const Extent extent : {Extent{1, 1}, Extent{64, 48}, Extent{300, 200}, Extent{17, 1000}}) {
    const plan::Plan plan = make_plan(extent);
    for (const double limit : {1e-6, 0.1, 1.0, 10.0, 1e9}) {
      const Pace pace(limit, node_count(plan));
      const auto submits = cut_all(pace, plan);
      expect_each_row_once_in_order(submits, plan);
      for (const auto& submit : submits) {
        const bool one_group_row = submit.size() == 1 && submit[0].row_end - submit[0].row_begin <=
                                                             plan.steps[submit[0].step].choice.group_size.y;
        EXPECT_TRUE(one_group_row || expected_ms(pace, plan, submit) <= limit);
      }
    }
  }
}

TEST(Pace, SmallJobsAreOneSubmit) {
  const plan::Plan plan = make_plan({32, 32});
  EXPECT_EQ(cut_all(Pace(250, node_count(plan)), plan).size(), 1U);
}

TEST(Pace, BeginsCarefullyAndLearns) {
  const plan::Plan plan = make_plan({300, 200});
  Pace pace(20, node_count(plan));
  const auto careful = cut_all(pace, plan).size();
  EXPECT_GT(careful, 10U);
  // A fast device: everything in a hundredth of a millisecond.
  for (const plan::Step& step : plan.steps) {
    EXPECT_FALSE(pace.knows(step));
    pace.learn(step, step.grid.rows, 0.01);
    EXPECT_TRUE(pace.knows(step));
  }
  EXPECT_EQ(cut_all(pace, plan).size(), 1U);
  // It becomes a thousand times slower: believed at once.
  for (const plan::Step& step : plan.steps) pace.learn(step, step.grid.rows, 10);
  EXPECT_NEAR(pace.expected_ms(plan.steps[0], plan.steps[0].grid.rows), 10, 1e-9);
  EXPECT_GT(cut_all(pace, plan).size(), 3U);
  // And fast again: believed within a few jobs.
  for (int i = 0; i < 12; ++i) {
    for (const plan::Step& step : plan.steps) pace.learn(step, step.grid.rows, 0.01);
  }
  EXPECT_EQ(cut_all(pace, plan).size(), 1U);
}

TEST(Pace, TheUnknownIsTwiceAsSlowAsTheSlowestKnown) {
  const plan::Plan plan = make_plan({64, 48});
  Pace pace(250, node_count(plan));
  const plan::Step* known = nullptr;
  const plan::Step* other = nullptr;
  for (const plan::Step& step : plan.steps) {
    if (step.flops > 0) (known == nullptr ? known : other) = &step;
  }
  ASSERT_TRUE(known != nullptr && other != nullptr);
  pace.learn(*known, known->grid.rows, 3);
  const double per_flop = 3 / static_cast<double>(known->flops);
  EXPECT_NEAR(pace.expected_ms(*other, other->grid.rows), 2 * per_flop * static_cast<double>(other->flops),
              1e-9);
}

TEST(Pace, TimesThatMakeNoSenseAreIgnored) {
  const plan::Plan plan = make_plan({64, 48});
  Pace pace(250, node_count(plan));
  const plan::Step& step = plan.steps[1];
  for (const double ms : {0.0, -1.0, std::nan("")}) pace.learn(step, step.grid.rows, ms);
  pace.learn(step, 0, 1);
  EXPECT_FALSE(pace.knows(step));
}

TEST(Pace, NoMoreGroupsThanOneDispatchTakes) {
  kernels::DeviceLimits limits;
  limits.max_group_count[1] = 3;
  const plan::Plan plan = make_plan({20, 300}, limits);
  const auto submits = cut_all(Pace(1e9, node_count(plan)), plan);
  expect_each_row_once_in_order(submits, plan);
  for (const auto& submit : submits) {
    EXPECT_LE(submit.size(), 63U);
    for (const Segment& segment : submit) {
      EXPECT_LE(segment.row_end - segment.row_begin, 3 * plan.steps[segment.step].choice.group_size.y);
    }
  }
}

}  // namespace
}  // namespace upres::session
