#include "tune/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tasks.h"
#include "tune/search.h"

namespace upres::tune {
namespace {

using ::testing::HasSubstr;

class StubRunner final : public Runner {
 public:
  Result<Timing> measure(const Task& task, const Parameters& parameters,
                         const MeasureLimits& limits) override {
    seen = exact_text(task) + " " + to_text(parameters);
    seen_limits = limits;
    if (error.message.empty()) return Timing{1.5, 20};
    return tl::unexpected(error);
  }
  Result<Duel> duel(const Task&, const Parameters& standard, const Parameters& best, double) override {
    seen = to_text(standard) + " : " + to_text(best);
    return Duel{{2, 3}, {1, 2}};
  }
  std::string seen;
  MeasureLimits seen_limits;
  Error error = {ErrorCode::device, ""};
};

TEST(Worker, AnswersWhatItIsAsked) {
  StubRunner runner;
  const Task task = small_task();
  const auto timing = read_timing(answer(runner, measure_request(task, packed(16), {2.5, 10})));
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_EQ(timing->time_ms, 1.5);
  EXPECT_EQ(timing->compile_ms, 20);
  EXPECT_EQ(runner.seen, exact_text(task) + " " + to_text(packed(16)));
  EXPECT_EQ(runner.seen_limits.hopeless_ms, 2.5);
  EXPECT_EQ(runner.seen_limits.left_s, 10);
  const auto duel = read_duel(answer(runner, duel_request(task, packed(32), packed(8), 1)));
  ASSERT_TRUE(duel) << duel.error().text();
  EXPECT_EQ(runner.seen, to_text(packed(32)) + " : " + to_text(packed(8)));
  EXPECT_EQ(duel->best_ms, std::vector<double>({1, 2}));
}

TEST(Worker, PassesErrorsOnWithTheirCodes) {
  StubRunner runner;
  for (const ErrorCode code : {ErrorCode::device, ErrorCode::cancelled, ErrorCode::input}) {
    runner.error = {code, "because \xff"};
    const auto timing = read_timing(answer(runner, measure_request(small_task(), packed(16), {0, 10})));
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().code, code);
    EXPECT_THAT(timing.error().message, HasSubstr("because"));
  }
}

TEST(Worker, RefusesBadRequests) {
  StubRunner runner;
  const std::string good = measure_request(small_task(), packed(16), {0, 10});
  for (size_t size = 0; size < good.size(); size += 3)
    EXPECT_THAT(answer(runner, good.substr(0, size)), HasSubstr("error"));
  for (const auto& [from, to] : {std::pair{"measure", "dance"}, std::pair{"\"left_s\":10.0", "\"left_s\":-1"},
                                 std::pair{"conv_packed", "conv_nowhere"}, std::pair{":16", ":17"}}) {
    std::string bad = good;
    const size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, std::string(from).size(), to);
    EXPECT_THAT(answer(runner, bad), HasSubstr("error")) << bad;
  }
  EXPECT_EQ(runner.seen, "");
}

TEST(Worker, BadAnswersAreErrors) {
  for (const char* text :
       {"", "[]", "{}", R"({"time_ms": 1})", R"({"time_ms": 0, "compile_ms": 1})",
        R"({"time_ms": "1", "compile_ms": 1})", R"({"error": 1})", R"({"error": "x", "code": "?"})"}) {
    const auto timing = read_timing(text);
    ASSERT_FALSE(timing) << text;
    EXPECT_EQ(timing.error().code, ErrorCode::input);
  }
  for (const char* text :
       {"{}", R"({"standard_ms": [], "best_ms": [1]})", R"({"standard_ms": [1], "best_ms": [-1]})",
        R"({"standard_ms": [1], "best_ms": 1})"}) {
    EXPECT_FALSE(read_duel(text)) << text;
  }
}

TEST(Worker, ServesUntilNobodyAsks) {
  std::array<int, 2> ends = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  StubRunner runner;
  std::thread worker([&] { EXPECT_TRUE(serve(runner, ends[1], ends[1])); });
  const std::string request = measure_request(small_task(), packed(16), {0, 10}) + "\n";
  const std::string all = request + "nonsense\n" + request;
  ASSERT_EQ(::write(ends[0], all.data(), all.size()), static_cast<ssize_t>(all.size()));
  ::shutdown(ends[0], SHUT_WR);
  worker.join();
  ::close(ends[1]);
  std::string answers(4096, '\0');
  answers.resize(static_cast<size_t>(::recv(ends[0], answers.data(), answers.size(), MSG_WAITALL)));
  EXPECT_EQ(std::count(answers.begin(), answers.end(), '\n'), 4);
  EXPECT_TRUE(is_ready(answers.substr(0, answers.find('\n'))));
  ::close(ends[0]);
}

}  // namespace
}  // namespace upres::tune
