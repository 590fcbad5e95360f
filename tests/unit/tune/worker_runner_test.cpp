#include "tune/worker_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include <cerrno>
#include <chrono>

#include "tasks.h"
#include "tune/search.h"

namespace upres::tune {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

WorkerOptions fake_worker(const std::string& mode = "") {
  WorkerOptions options;
  options.command = {FAKE_WORKER};
  if (!mode.empty()) options.command.push_back(mode);
  options.candidate_s = 0.4;
  return options;
}

Result<Timing> measure(WorkerRunner& runner, const Parameters& parameters, double left_s = 60) {
  return runner.measure(small_task(), parameters, {0, left_s});
}

// Whether this process has no children, not even dead ones.
bool has_no_children() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

pid_t only_child() {
  std::ifstream file("/proc/thread-self/children");
  pid_t id = 0;
  file >> id;
  return id;
}

TEST(WorkerRunner, OneWorkerMeasuresManyCandidates) {
  {
    WorkerRunner runner(fake_worker());
    for (int i = 0; i < 20; ++i) {
      const auto timing = measure(runner, packed(32));
      ASSERT_TRUE(timing) << timing.error().text();
      EXPECT_EQ(timing->time_ms, 1.5);
    }
    const auto duel = runner.duel(small_task(), packed(32), packed(32, 1), 60);
    ASSERT_TRUE(duel) << duel.error().text();
    EXPECT_EQ(duel->standard_ms.size(), 3U);
    EXPECT_EQ(runner.starts(), 1);
  }
  EXPECT_TRUE(has_no_children());
}

TEST(WorkerRunner, ACandidateThatKillsTheWorkerIsAtFaultAndTheNextOneWorks) {
  WorkerRunner runner(fake_worker());
  ASSERT_TRUE(measure(runner, packed(32)));
  const auto killed = measure(runner, packed(64));
  ASSERT_FALSE(killed);
  EXPECT_EQ(killed.error().code, ErrorCode::device);
  EXPECT_THAT(killed.error().message, HasSubstr("signal 9"));
  ASSERT_TRUE(measure(runner, packed(32)));
  EXPECT_EQ(runner.starts(), 2);
}

// Ended by somebody else between two candidates.
TEST(WorkerRunner, AWorkerThatEndedIdleIsNobodysFault) {
  WorkerRunner runner(fake_worker());
  ASSERT_TRUE(measure(runner, packed(32)));
  const pid_t worker = only_child();
  ASSERT_GT(worker, 0);
  ASSERT_EQ(::kill(worker, SIGKILL), 0);
  siginfo_t info = {};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(worker), &info, WEXITED | WNOWAIT), 0);
  ASSERT_TRUE(measure(runner, packed(32)));
  EXPECT_EQ(runner.starts(), 2);
}

TEST(WorkerRunner, ACandidateThatHangsIsEnded) {
  {
    WorkerRunner runner(fake_worker());
    ASSERT_TRUE(measure(runner, packed(32)));
    const auto begin = Clock::now();
    const auto hung = measure(runner, packed(16));
    ASSERT_FALSE(hung);
    EXPECT_EQ(hung.error().code, ErrorCode::device);
    EXPECT_THAT(hung.error().message, HasSubstr("did not answer within"));
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
    ASSERT_TRUE(measure(runner, packed(32)));
  }
  EXPECT_TRUE(has_no_children());
}

// Then nothing is known of it, so it must not be remembered as bad.
TEST(WorkerRunner, WithoutTimeLeftNobodyIsAtFault) {
  WorkerRunner runner(fake_worker());
  ASSERT_TRUE(measure(runner, packed(32)));
  const auto ended = measure(runner, packed(16), 0.1);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::cancelled);
}

TEST(WorkerRunner, StopsWhileACandidateHangs) {
  bool stop = false;
  WorkerOptions options = fake_worker();
  options.candidate_s = 60;
  options.cancelled = [&] { return stop; };
  WorkerRunner runner(options);
  ASSERT_TRUE(measure(runner, packed(32)));
  stop = true;
  const auto ended = measure(runner, packed(16));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::cancelled);
}

TEST(WorkerRunner, WhatIsNoAnswerIsNoFaultOfTheCandidate) {
  WorkerRunner runner(fake_worker());
  const auto timing = measure(runner, packed(8));
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().code, ErrorCode::input);
}

TEST(WorkerRunner, AWorkerThatDoesNotStartIsAnError) {
  WorkerOptions missing = fake_worker();
  missing.command = {"/no/such/program"};
  WorkerOptions mute = fake_worker("mute");
  mute.start_s = 0.2;
  for (WorkerOptions options : {missing, fake_worker("exit"), fake_worker("babble"), mute}) {
    WorkerRunner runner(options);
    const auto timing = measure(runner, packed(32));
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().code, ErrorCode::input) << timing.error().text();
    EXPECT_THAT(timing.error().message, HasSubstr("worker"));
  }
  EXPECT_TRUE(has_no_children());
}

// Through a whole search: those that kill and hang are listed with their reasons, one of the others wins.
TEST(WorkerRunner, ASearchSurvivesBadCandidates) {
  WorkerOptions worker = fake_worker();
  WorkerRunner runner(worker);
  Known known;
  // Babblers end a search; here they are known to be bad already.
  Task task = small_task();
  for (size_t i = 0; i < kernels::combination_count(*task.kernel); ++i) {
    const auto at = kernels::combination(*task.kernel, i);
    const bool is_wanted = at[0].value == 32 || (at[1].value == 4 && at[2].value == 1 && at[0].value != 8);
    if (!is_wanted) known.rejected[to_text(at)] = "known";
  }
  const auto result = search(runner, generous_device(), devicedb::Database(), task, known, {.budget_s = 60});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(known.rejected.at(to_text(packed(64))), HasSubstr("signal 9"));
  EXPECT_THAT(known.rejected.at(to_text(packed(16))), HasSubstr("did not answer"));
  EXPECT_EQ(known.rejected.at(to_text(packed(32, 8, 1))), "wrong result");
  EXPECT_EQ(runner.starts(), 3);
}

}  // namespace
}  // namespace upres::tune
