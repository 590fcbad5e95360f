#include "bench_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace upres::cli {
namespace {

session::StepTime step(const std::string& node, double begin_ms, double device_ms) {
  session::StepTime time{node, "conv_tile", "in_channels=1", device_ms, 4'000'000, 1000};
  time.begin_ms = begin_ms;
  return time;
}

upscale::BenchResult result_of(std::vector<session::StepTime> steps) {
  upscale::BenchResult result;
  result.network_jobs.resize(1);
  result.network_jobs.front().steps = std::move(steps);
  return result;
}

std::vector<nlohmann::json> steps_of(const upscale::BenchResult& result) {
  const auto text = trace_text(result, "a model");
  EXPECT_TRUE(text);
  std::vector<nlohmann::json> steps;
  const auto trace = nlohmann::json::parse(text.value_or("{}"));
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") steps.push_back(event);
  }
  return steps;
}

TEST(BenchTrace, StepsLieWhereTheClockSaysFromTheFirstOn) {
  const auto steps = steps_of(result_of({step("one", 1000.5, 2), step("two", 1003, 1)}));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].at("name"), "one");
  EXPECT_EQ(steps[0].at("ts"), 0);
  EXPECT_EQ(steps[0].at("dur"), 2000);
  EXPECT_EQ(steps[1].at("ts"), 2500);
  EXPECT_EQ(steps[1].at("args").at("kernel"), "conv_tile");
  EXPECT_EQ(steps[1].at("args").at("bytes"), 1000);
  EXPECT_NEAR(steps[1].at("args").at("gflops").get<double>(), 4, 1e-9);
}

TEST(BenchTrace, WithoutAClockStepsFollowEachOther) {
  const auto steps = steps_of(result_of({step("one", -1, 2), step("two", -1, 1)}));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].at("ts"), 2000);
}

TEST(BenchTrace, NamesMayHoldAnyBytes) {
  const auto steps = steps_of(result_of({step("a \"b\" \xff", 0, 1)}));
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].at("name"), "a \"b\" \uFFFD");
}

TEST(BenchTrace, WithoutTimesThereIsNone) {
  const auto text = trace_text(result_of({step("one", -1, -1)}), "a model");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::device);
}

}  // namespace
}  // namespace upres::cli
