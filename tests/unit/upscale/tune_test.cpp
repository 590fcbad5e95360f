#include "upscale/tune.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "unit/tune/tasks.h"

namespace upres::upscale {
namespace {

namespace fs = std::filesystem;

// Candidates take a tenth of a second each; 16 wide groups are fastest, 8 wide ones wrong.
class FakeRunner final : public tune::Runner {
 public:
  double now_s = 0;
  int measured = 0;
  double best_ms = 1;
  std::string bad;  // what kills

  Result<tune::Timing> measure(const tune::Task&, const tune::Parameters& at,
                               const tune::MeasureLimits& limits) override {
    if (limits.left_s < 0.1) return fail(ErrorCode::cancelled, "no time is left");
    now_s += 0.1;
    ++measured;
    if (at[0].value == 8 || tune::to_text(at) == bad) return fail(ErrorCode::device, "wrong result");
    return tune::Timing{time_ms(at), 1};
  }
  Result<tune::Duel> duel(const tune::Task&, const tune::Parameters& standard, const tune::Parameters& best,
                          double left_s) override {
    if (left_s < 0.1) return fail(ErrorCode::cancelled, "no time is left");
    now_s += 0.1;
    return tune::Duel{{time_ms(standard)}, {time_ms(best)}};
  }

 private:
  [[nodiscard]] double time_ms(const tune::Parameters& at) const { return at[0].value == 16 ? best_ms : 2; }
};

class TuneTest : public ::testing::Test {
 protected:
  TuneTest()
      : folder_(
            fs::path(::testing::TempDir()) /
            (std::string("upres-tune-") + ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
  }
  ~TuneTest() override { fs::remove_all(folder_); }

  Tunings open() const { return {Cache(folder_), info_, "device"}; }

  Status run(Tunings& tunings, double budget_s, TuneOptions options = {}) {
    options.budget_s = budget_s;
    options.now_s = [this] { return runner_.now_s; };
    return tune_tasks(tunings, info_, runner_, tasks_, options);
  }

  uint32_t found(const Tunings& tunings) const {
    return tunings.database()->tuning(info_, "conv_packed", "8->8 3x3 fp32").front().value;
  }

  fs::path folder_;
  kernels::DeviceInfo info_ = tune::generous_device();
  FakeRunner runner_;
  std::vector<tune::Task> tasks_ = {tune::small_task(), tune::small_task("conv_naive")};
};

TEST_F(TuneTest, WhatWinsIsKeptForLaterRuns) {
  Tunings tunings = open();
  EXPECT_NE(found(tunings), 16U);
  ASSERT_TRUE(run(tunings, 60));
  EXPECT_EQ(found(tunings), 16U);
  EXPECT_EQ(found(open()), 16U);
  EXPECT_TRUE(open().is_tuned("conv_packed", "8->8 3x3 fp32"));
  EXPECT_TRUE(open().is_tuned("conv_naive", "8->8 3x3 fp32"));
}

TEST_F(TuneTest, TheBudgetHoldsForAllTasksTogether) {
  for (const double budget_s : {0.05, 0.5, 1.0, 3.0}) {
    Tunings tunings(Cache(), info_, "device");
    runner_.now_s = 0;
    ASSERT_TRUE(run(tunings, budget_s));
    EXPECT_LE(runner_.now_s, budget_s + 1e-9);
  }
}

TEST_F(TuneTest, ALaterRunMeasuresOnlyWhatIsNew) {
  Tunings tunings = open();
  ASSERT_TRUE(run(tunings, 60));
  const int all = runner_.measured;
  EXPECT_GT(all, 60);
  Tunings again = open();
  size_t rejected = 0;
  TuneOptions options;
  options.on_result = [&](const tune::Task&, const Result<tune::SearchResult>& result) {
    ASSERT_TRUE(result);
    rejected += result->rejected.size();
    EXPECT_TRUE(result->is_whole);
  };
  ASSERT_TRUE(run(again, 60, options));
  EXPECT_EQ(runner_.measured, all);
  EXPECT_GT(rejected, 0U);
  EXPECT_EQ(found(open()), 16U);
}

// Each call has time for the default of one task, and for little more.
TEST_F(TuneTest, ShortCallsReachEveryTask) {
  tasks_.push_back(tune::small_task("conv_packed", DType::f16));
  std::set<std::string> reached;
  TuneOptions options;
  options.on_candidate = [&](const tune::Task& task, const tune::Candidate&, const TuneProgress&) {
    reached.insert(tune::exact_text(task));
  };
  for (size_t calls = 1; calls <= tasks_.size(); ++calls) {
    Tunings tunings = open();
    ASSERT_TRUE(run(tunings, 0.15, options));
    runner_.now_s = 0;
    EXPECT_EQ(reached.size(), calls);
  }
}

// A default that takes longer than a whole call does not keep later calls from the other tasks.
TEST_F(TuneTest, ATaskThatDoesNotFitComesAfterTheOthers) {
  std::vector<std::string> reached;
  TuneOptions options;
  options.on_result = [&](const tune::Task& task, const Result<tune::SearchResult>&) {
    reached.emplace_back(task.kernel->id());
  };
  for (int calls = 0; calls < 2; ++calls) {
    Tunings tunings = open();
    options.cancelled = [&reached, before = reached.size()] { return reached.size() > before; };
    ASSERT_TRUE(run(tunings, 0.05, options));
  }
  EXPECT_EQ(reached, (std::vector<std::string>{"conv_packed", "conv_naive"}));
}

// A bad candidate is noted before the next one is tried: this process may not live to see the end.
TEST_F(TuneTest, BadCandidatesAreNotedAtOnce) {
  Tunings tunings = open();
  bool is_noted = false;
  TuneOptions options;
  options.on_candidate = [&](const tune::Task& task, const tune::Candidate& candidate, const TuneProgress&) {
    if (candidate.time_ms || task.kernel->id() != "conv_packed") return;
    const auto text = open().note("conv_packed", "trials of " + tune::exact_text(task));
    is_noted = text && text->find(tune::to_text(candidate.parameters)) != std::string::npos;
    EXPECT_TRUE(is_noted);
  };
  ASSERT_TRUE(run(tunings, 60, options));
  EXPECT_TRUE(is_noted);
}

TEST_F(TuneTest, StoppedItKeepsWhatIsDone) {
  Tunings tunings = open();
  TuneOptions options;
  bool is_first_done = false;
  options.on_result = [&](const tune::Task&, const Result<tune::SearchResult>&) { is_first_done = true; };
  options.cancelled = [&] { return is_first_done; };
  ASSERT_TRUE(run(tunings, 60, options));
  EXPECT_TRUE(open().is_tuned("conv_packed", "8->8 3x3 fp32"));
  EXPECT_FALSE(open().is_tuned("conv_naive", "8->8 3x3 fp32"));
}

// The fastest takes half of the default's time, or nearly all of it.
TEST_F(TuneTest, StoppedBeforeTheComparisonOnlyAClearWinnerIsKept) {
  for (const double best_ms : {1.0, 1.95}) {
    Tunings tunings(Cache(), info_, "device");
    runner_.best_ms = best_ms;
    TuneOptions options;
    bool is_best_found = false;
    options.on_candidate = [&](const tune::Task&, const tune::Candidate& candidate, const TuneProgress&) {
      is_best_found = is_best_found || candidate.time_ms == best_ms;
    };
    options.cancelled = [&] { return is_best_found; };
    ASSERT_TRUE(run(tunings, 60, options));
    ASSERT_TRUE(is_best_found);
    EXPECT_EQ(tunings.is_tuned("conv_packed", "8->8 3x3 fp32"), best_ms < 1.8);
    EXPECT_EQ(found(tunings) == 16U, best_ms < 1.8);
  }
}

TEST_F(TuneTest, ADefaultThatDoesNotWorkGivesWayAndIsNotTriedAgain) {
  runner_.bad = tune::to_text(tune::packed(32));
  Tunings tunings = open();
  ASSERT_TRUE(run(tunings, 60));
  EXPECT_EQ(found(open()), 16U);
  const auto kept = kept_result(open(), tasks_[0]);
  ASSERT_TRUE(kept);
  EXPECT_NE(kept->find(R"("default":{"parameters":null,"time_ms":null)"), std::string::npos) << *kept;
  const int all = runner_.measured;
  Tunings again = open();
  ASSERT_TRUE(run(again, 60));
  EXPECT_EQ(runner_.measured, all);
  EXPECT_EQ(found(open()), 16U);
}

TEST_F(TuneTest, ResultsOfEarlierCallsAreKept) {
  {
    Tunings tunings = open();
    EXPECT_FALSE(kept_result(tunings, tasks_[0]));
    ASSERT_TRUE(run(tunings, 60));
  }
  const auto kept = kept_result(open(), tasks_[0]);
  ASSERT_TRUE(kept);
  EXPECT_NE(kept->find(R"("group_size_x":16)"), std::string::npos) << *kept;
  EXPECT_NE(kept->find(R"("default":)"), std::string::npos);
  EXPECT_TRUE(kept_result(open(), tasks_[1]));
  EXPECT_FALSE(kept_result(open(), tune::small_task("conv_packed", DType::f16)));
}

TEST_F(TuneTest, NotesThatAreNoJsonAreStartedAnew) {
  Tunings tunings = open();
  const std::string name = "trials of " + tune::exact_text(tasks_.front());
  ASSERT_TRUE(tunings.put_note("conv_packed", name, R"({"time_ms": {"group_size_x=16)"));
  ASSERT_TRUE(run(tunings, 60));
  EXPECT_EQ(found(tunings), 16U);
}

}  // namespace
}  // namespace upres::upscale
