#include "tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tasks.h"

namespace upres::tune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr size_t kAllPacked = 48;
const std::string kStandard = to_text(packed(32));

// Measures with a clock of its own.
class FakeRunner final : public Runner {
 public:
  double cost_s = 0.05;
  double duel_cost_s = 0.1;
  double compile_ms = 10;
  double duel_noise_ms = 0;
  std::function<double(const Parameters&)> time_ms = [](const Parameters& at) {
    return 1 + std::abs(at[0].value - 16.0) / 100 + at[1].value / 1000.0 + at[2].value / 1000.0;
  };
  std::function<Status(const Parameters&)> judge = [](const Parameters&) { return Status(); };
  std::function<Status()> judge_duel = [] { return Status(); };
  double now_s = 100;
  std::vector<std::string> measured;
  std::vector<std::string> duels;

  Result<Timing> measure(const Task&, const Parameters& parameters, const MeasureLimits& limits) override {
    if (auto status = pass(cost_s, limits.left_s); !status) return propagate(status);
    measured.push_back(to_text(parameters));
    if (auto status = judge(parameters); !status) return propagate(status);
    return Timing{time_ms(parameters), compile_ms};
  }

  Result<Duel> duel(const Task&, const Parameters& standard, const Parameters& best, double left_s) override {
    if (auto status = pass(duel_cost_s, left_s); !status) return propagate(status);
    if (auto status = judge_duel(); !status) return propagate(status);
    duels.push_back(to_text(standard) + " : " + to_text(best));
    const auto times = [&](const Parameters& at) {
      return std::vector<double>{time_ms(at) - duel_noise_ms, time_ms(at), time_ms(at) + duel_noise_ms};
    };
    return Duel{times(standard), times(best)};
  }

 private:
  Status pass(double cost, double left_s) {
    now_s += std::min(cost, left_s);
    return cost <= left_s ? Status() : Status(fail(ErrorCode::cancelled, "no time is left"));
  }
};

struct Fixture {
  FakeRunner runner;
  Known known;
  SearchOptions options;
  Task task = small_task();
  kernels::DeviceInfo info = generous_device();

  Result<SearchResult> run() {
    options.now_s = [this] { return runner.now_s; };
    return search(runner, info, devicedb::Database(), task, known, options);
  }
};

TEST(Search, FindsTheFastestOfFew) {
  Fixture fixture;
  const auto result = fixture.run();
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(fixture.runner.measured.front(), kStandard);
  EXPECT_EQ(to_text(result->best.parameters), to_text(packed(16, 1, 1)));
  EXPECT_EQ(to_text(result->standard.parameters), kStandard);
  EXPECT_LT(result->best.time_ms, result->standard.time_ms);
  EXPECT_EQ(result->legal, kAllPacked);
  EXPECT_EQ(result->tried, kAllPacked);
  EXPECT_TRUE(result->is_whole);
  EXPECT_EQ(fixture.known.time_ms.size(), kAllPacked);
}

TEST(Search, LimitsOfTheDeviceForbidCandidates) {
  Fixture fixture;
  fixture.info.limits.max_group_invocations = 128;
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_LT(result->legal, kAllPacked);
  EXPECT_EQ(result->tried, result->legal);
  EXPECT_THAT(fixture.runner.measured, Not(Contains(to_text(packed(64, 8, 1)))));
}

// The comparison at the end included, and whatever a candidate costs.
TEST(Search, KeepsItsBudget) {
  for (const double cost_s : {0.01, 0.3, 0.9, 2.5}) {
    for (const double budget_s : {0.5, 1.0, 3.0, 10.0}) {
      for (const double duel_s : {0.1, 1.5}) {
        Fixture fixture;
        fixture.runner.cost_s = cost_s;
        fixture.runner.duel_cost_s = duel_s;
        fixture.options.budget_s = budget_s;
        const auto result = fixture.run();
        EXPECT_LE(fixture.runner.now_s - 100, budget_s + 1e-9) << cost_s << " " << budget_s;
        EXPECT_EQ(result.has_value(), cost_s <= budget_s);
        if (result && to_text(result->best.parameters) != kStandard) {
          EXPECT_TRUE(!fixture.runner.duels.empty() || result->best.time_ms < 0.9 * result->standard.time_ms);
        }
      }
    }
  }
}

TEST(Search, TheStandardValuesMayTakeLongerWhereThatIsAllowed) {
  Fixture fixture;
  fixture.runner.cost_s = 2;
  fixture.options.budget_s = 1;
  EXPECT_FALSE(fixture.run());
  fixture.options.standard_s = 3;
  const auto result = fixture.run();
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->tried, 1U);
  EXPECT_EQ(to_text(result->best.parameters), kStandard);
}

TEST(Search, LeavesTimeForTheComparison) {
  Fixture fixture;
  fixture.options.budget_s = 1;
  fixture.runner.duel_cost_s = 0.1;
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->is_whole);
  EXPECT_LT(result->tried, kAllPacked);
  EXPECT_EQ(fixture.runner.duels.size(), 1U);
  EXPECT_LT(result->best.time_ms, result->standard.time_ms);
}

TEST(Search, WhatWinsByNoiseOnlyDoesNotWin) {
  Fixture fixture;
  fixture.runner.time_ms = [](const Parameters& at) { return at[0].value == 16 ? 0.99 : 1; };
  fixture.runner.duel_noise_ms = 0.01;
  const auto noisy = fixture.run();
  ASSERT_TRUE(noisy);
  EXPECT_EQ(to_text(noisy->best.parameters), kStandard);
  fixture.runner.duel_noise_ms = 0.001;
  fixture.known = {};
  const auto clear = fixture.run();
  ASSERT_TRUE(clear);
  EXPECT_EQ(clear->best.parameters.front().value, 16U);
}

TEST(Search, ACandidateThatIsWrongIsRememberedAndNeverWins) {
  Fixture fixture;
  fixture.runner.judge = [](const Parameters& at) {
    return at[0].value == 16 ? Status(fail(ErrorCode::device, "wrong result")) : Status();
  };
  size_t told = 0;
  fixture.options.on_candidate = [&](const Candidate& candidate) {
    if (!candidate.time_ms) ++told;
  };
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_NE(result->best.parameters.front().value, 16U);
  EXPECT_EQ(result->rejected.size(), kAllPacked / 4);
  EXPECT_EQ(fixture.known.rejected.size(), kAllPacked / 4);
  EXPECT_EQ(told, kAllPacked / 4);
  EXPECT_EQ(result->rejected.front().reason, "wrong result");
}

TEST(Search, GoesOnWhereAnEarlierOneEnded) {
  Fixture fixture;
  fixture.options.budget_s = 1;
  ASSERT_TRUE(fixture.run());
  const size_t before = fixture.known.time_ms.size();
  ASSERT_LT(before, kAllPacked);
  fixture.known.rejected[to_text(packed(64))] = "it hangs";
  fixture.known.time_ms.erase(to_text(packed(64)));
  const size_t known = fixture.known.time_ms.size() + 1;
  fixture.runner.measured.clear();
  fixture.options.budget_s = 100;
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(fixture.runner.measured.size(), kAllPacked - known);
  EXPECT_THAT(fixture.runner.measured, Not(Contains(kStandard)));
  EXPECT_THAT(fixture.runner.measured, Not(Contains(to_text(packed(64)))));
  EXPECT_EQ(result->known, known);
  EXPECT_EQ(result->rejected.size(), 1U);
  EXPECT_EQ(to_text(result->best.parameters), to_text(packed(16, 1, 1)));
}

TEST(Search, AKnownTimeWinsWithoutBeingMeasuredAgainButForTheComparison) {
  Fixture fixture;
  for (size_t i = 0; i < kAllPacked; ++i) {
    const auto at = kernels::combination(*fixture.task.kernel, i);
    fixture.known.time_ms[to_text(at)] = fixture.runner.time_ms(at);
  }
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_THAT(fixture.runner.measured, IsEmpty());
  EXPECT_EQ(fixture.runner.duels.size(), 1U);
  EXPECT_EQ(to_text(result->best.parameters), to_text(packed(16, 1, 1)));
}

// However much better it looks: the two times are of different searches.
TEST(Search, AKnownTimeDoesNotWinWithoutTheComparison) {
  Fixture fixture;
  fixture.known.time_ms = {{kStandard, 9}, {to_text(packed(16, 1, 1)), 1}};
  fixture.options.cancelled = [calls = 0]() mutable { return ++calls > 1; };
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_THAT(fixture.runner.duels, IsEmpty());
  EXPECT_FALSE(result->is_decided);
}

TEST(Search, StoppedItKeepsWhatItLearnt) {
  Fixture fixture;
  fixture.options.cancelled = [&] { return fixture.runner.measured.size() >= 10; };
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(fixture.known.time_ms.size(), 10U);
  EXPECT_THAT(fixture.runner.duels, IsEmpty());
  EXPECT_FALSE(result->is_whole);
}

// Times differ by a twentieth, or by half.
TEST(Search, WithoutAComparisonOnlyWhatIsFarBetterWins) {
  for (const double gain : {0.05, 0.5}) {
    Fixture fixture;
    fixture.runner.time_ms = [&](const Parameters& at) { return to_text(at) == kStandard ? 1 : 1 - gain; };
    fixture.options.cancelled = [&] { return fixture.runner.measured.size() >= 5; };
    const auto result = fixture.run();
    ASSERT_TRUE(result);
    EXPECT_THAT(fixture.runner.duels, IsEmpty());
    EXPECT_EQ(to_text(result->best.parameters) != kStandard, gain > 0.1);
    EXPECT_EQ(result->is_decided, gain > 0.1);
  }
}

TEST(Search, StandardValuesThatNothingBeatsAreDecided) {
  Fixture fixture;
  fixture.runner.time_ms = [&](const Parameters& at) { return to_text(at) == kStandard ? 1 : 2; };
  fixture.options.cancelled = [&] { return fixture.runner.measured.size() >= 5; };
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(to_text(result->best.parameters), kStandard);
  EXPECT_TRUE(result->is_decided);
}

TEST(Search, WithoutWorkingStandardValuesTheFastestThatWorksWins) {
  for (const Scope scope : {Scope::everything, Scope::neighbours}) {
    Fixture fixture;
    fixture.options.scope = scope;
    fixture.runner.judge = [](const Parameters& at) {
      return to_text(at) == kStandard ? Status(fail(ErrorCode::device, "it hangs")) : Status();
    };
    const auto result = fixture.run();
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(to_text(result->best.parameters), to_text(packed(16, 1, 1)));
    EXPECT_EQ(result->standard.time_ms, 0);
    EXPECT_TRUE(result->is_decided);
    ASSERT_EQ(result->rejected.size(), 1U);
    EXPECT_EQ(result->rejected.front().reason, "it hangs");
    EXPECT_THAT(fixture.runner.duels, IsEmpty());
    fixture.runner.measured.clear();
    const auto again = fixture.run();
    ASSERT_TRUE(again);
    EXPECT_THAT(fixture.runner.measured, Not(Contains(kStandard)));
    EXPECT_EQ(to_text(again->best.parameters), to_text(packed(16, 1, 1)));
    EXPECT_EQ(again->rejected.size(), 1U);
  }
}

TEST(Search, WhereNothingWorksThereIsNoResult) {
  for (const Scope scope : {Scope::everything, Scope::neighbours}) {
    Fixture fixture;
    fixture.options.scope = scope;
    fixture.runner.judge = [](const Parameters&) { return Status(fail(ErrorCode::device, "it hangs")); };
    const auto result = fixture.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::device);
    EXPECT_THAT(result.error().message, HasSubstr("the values used so far do not work: it hangs"));
    EXPECT_EQ(fixture.known.rejected.size(), fixture.runner.measured.size());
    EXPECT_GT(fixture.known.rejected.size(), 1U);
  }
}

TEST(Search, WhenNothingCanBeMeasuredItSaysSo) {
  Fixture fixture;
  fixture.runner.judge = [&](const Parameters&) {
    return fixture.runner.measured.size() < 5 ? Status() : Status(fail(ErrorCode::input, "no worker"));
  };
  const auto result = fixture.run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::input);
}

TEST(Search, ABestThatFailsInTheComparisonIsRejected) {
  Fixture fixture;
  fixture.runner.judge_duel = [] { return Status(fail(ErrorCode::device, "signal 11 ended it")); };
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(to_text(result->best.parameters), kStandard);
  EXPECT_FALSE(result->is_decided);  // the next fastest is to be compared
  EXPECT_TRUE(fixture.known.rejected.contains(to_text(packed(16, 1, 1))));
  EXPECT_FALSE(fixture.known.time_ms.contains(to_text(packed(16, 1, 1))));
}

TEST(Search, NeighboursAreOneStepAwayAndFollowTheBest) {
  Fixture fixture;
  fixture.options.scope = Scope::neighbours;
  const auto result = fixture.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(to_text(result->best.parameters), to_text(packed(16, 1, 1)));
  EXPECT_LT(result->tried, kAllPacked / 2);
  EXPECT_THAT(fixture.runner.measured, Not(Contains(to_text(packed(64, 8, 4)))));
}

// What pays only where neighbours do the same is for a whole search; what makes results less exact is for
// nobody.
TEST(Search, ImagesAreForWholeSearchesAndHalfSumsForNone) {
  for (const Scope scope : {Scope::neighbours, Scope::everything}) {
    Fixture fixture;
    fixture.task = small_task("conv_packed", DType::f16);
    fixture.info.limits.storage_image_fp16 = true;
    fixture.options.scope = scope;
    fixture.runner.time_ms = [](const Parameters& at) {
      return 4 - (at[3].value == 1 ? 1 : 0) - (at[4].value == 1 ? 1 : 0) + at[0].value / 1000.0;
    };
    const auto result = fixture.run();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->best.parameters[3].value, scope == Scope::everything ? 1U : 0U);
    EXPECT_EQ(result->best.parameters[4].value, 0U);
    EXPECT_THAT(fixture.runner.measured, Not(Contains(HasSubstr("half_sums=1"))));
  }
}

// A compiler cannot be stopped, so nothing is begun that might take too long to compile.
TEST(Search, NeighboursThatMightCompileForTooLongAreNotBegun) {
  Fixture fixture;
  fixture.options.scope = Scope::neighbours;
  fixture.options.budget_s = 2;
  fixture.runner.cost_s = 0.45;
  fixture.runner.compile_ms = 400;
  ASSERT_TRUE(fixture.run());
  EXPECT_LE(fixture.runner.measured.size(), 2U);
  Fixture fast;
  fast.options.scope = Scope::neighbours;
  fast.options.budget_s = 2;
  fast.runner.cost_s = 0.03;
  fast.runner.compile_ms = 10;
  ASSERT_TRUE(fast.run());
  EXPECT_GT(fast.runner.measured.size(), 8U);
}

}  // namespace
}  // namespace upres::tune
