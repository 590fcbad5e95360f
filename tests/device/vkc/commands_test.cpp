#include <chrono>

#include "test_device.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::Each;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc::KernelGroupSize;
using vkc_test::error_of;

class CommandsTest : public vkc_test::DeviceTest {
 protected:
  vkc::Kernel add_one() { return kernel(kernels::add_one, {}, KernelGroupSize{64}); }
  vkc::Buffer zeros(std::size_t count) { return buffer_of(std::vector<std::uint32_t>(count)); }
};

TEST_P(CommandsTest, FillAndCopy) {
  const vkc::Buffer from = zeros(16), to = zeros(16);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(from, 7));
  ASSERT_TRUE(recorded.fill(from.range(8, 8), 9));
  ASSERT_TRUE(recorded.copy(from.range(0, 16), to.range(4, 16)));
  run(recorded);
  EXPECT_THAT(values_of<std::uint32_t>(to.range(0, 24)), testing::ElementsAre(0, 7, 7, 9, 9, 0));
}

TEST_P(CommandsTest, DependentDispatchesAreOrdered) {
  const vkc::Kernel kernel = add_one();
  const vkc::Buffer values = zeros(1000), copy = zeros(1000);
  vkc::Commands recorded = commands();
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(kernel.dispatch(recorded, {16}, {{"values", values}}));
  ASSERT_TRUE(recorded.copy(values, copy));
  ASSERT_TRUE(kernel.dispatch(recorded, {16}, {{"values", copy}}));
  run(recorded);
  EXPECT_THAT(values_of<std::uint32_t>(values), Each(300U));
  EXPECT_THAT(values_of<std::uint32_t>(copy), Each(301U));
}

TEST_P(CommandsTest, SubmissionsAreOrdered) {
  const vkc::Kernel kernel = add_one();
  const vkc::Buffer values = zeros(1000);
  std::vector<vkc::Commands> all;
  std::vector<vkc::Submission> submissions;
  for (int i = 0; i < 20; ++i) {
    all.push_back(commands());
    ASSERT_TRUE(kernel.dispatch(all.back(), {16}, {{"values", values}}));
    auto submission = all.back().submit();
    ASSERT_TRUE(submission) << submission.error().message;
    submissions.push_back(*submission);
  }
  for (const vkc::Submission& submission : submissions) ASSERT_TRUE(submission.wait());
  EXPECT_THAT(values_of<std::uint32_t>(values), Each(20U));
}

TEST_P(CommandsTest, ManualBarriersAreEnough) {
  const vkc::Kernel kernel = add_one();
  const vkc::Buffer values = zeros(1000);
  vkc::Commands recorded = commands(vkc::Barriers::manual);
  ASSERT_TRUE(recorded.barrier());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(kernel.dispatch(recorded, {16}, {{"values", values}}));
    ASSERT_TRUE(recorded.barrier());
  }
  run(recorded);
  EXPECT_THAT(values_of<std::uint32_t>(values), Each(50U));
}

// More ranges, kernels and descriptor sets than any pool or list holds at first.
TEST_P(CommandsTest, ManyIndependentDispatches) {
  const std::uint64_t step =
      std::max<std::uint64_t>(256, device().properties().limits.min_storage_buffer_offset_alignment_bytes);
  const std::uint32_t count = 1000;
  const vkc::Kernel kernel = add_one();
  const vkc::Buffer values = zeros(count * step / 4);
  vkc::Commands recorded = commands();
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_TRUE(kernel.dispatch(recorded, {4}, {{"values", values.range(i * step, step)}}));
    }
    run(recorded);
    ASSERT_TRUE(recorded.reset());
  }
  EXPECT_THAT(values_of<std::uint32_t>(values), Each(2U));
}

// The same for a kernel of several sets, which always come from pools.
TEST_P(CommandsTest, ManyIndependentDispatchesOfSeveralSets) {
  const std::uint64_t step =
      std::max<std::uint64_t>(256, device().properties().limits.min_storage_buffer_offset_alignment_bytes);
  const std::uint32_t count = 700;
  const vkc::Kernel add = kernel(kernels::sets);
  const vkc::Buffer first = buffer_of(std::vector<std::uint32_t>(8, 3)),
                    second = buffer_of(std::vector<std::uint32_t>(8, 4)), sums = zeros(count * step / 4);
  vkc::Commands recorded = commands();
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_TRUE(add.dispatch(recorded, {},
                               {{"first", first}, {"second", second}, {"sum", sums.range(i * step, 32)}}));
    }
    run(recorded);
    ASSERT_TRUE(recorded.reset());
  }
  const std::vector<std::uint32_t> values = values_of<std::uint32_t>(sums);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i * step / 4 + 7], 7U) << i;
}

// More bindings in turn than a recording remembers.
TEST_P(CommandsTest, ManyBindingsInTurn) {
  const vkc::Kernel kernel = add_one();
  std::vector<vkc::Buffer> buffers;
  for (int i = 0; i < 100; ++i) buffers.push_back(zeros(64));
  vkc::Commands recorded = commands();
  for (int round = 0; round < 3; ++round) {
    for (const vkc::Buffer& values : buffers)
      ASSERT_TRUE(kernel.dispatch(recorded, {}, {{"values", values}}));
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(kernel.dispatch(recorded, {}, {{"values", buffers[static_cast<std::size_t>(i % 2)]}}));
  }
  run(recorded);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    EXPECT_THAT(values_of<std::uint32_t>(buffers[i]), Each(i < 2 ? 9U : 3U)) << i;
}

// Bindings seen before are known by the text of their names, not by where it lies.
TEST_P(CommandsTest, NamesMayChangeInPlace) {
  struct {
    std::uint32_t count = 64;
    float a = 2;
  } const push;
  const vkc::Kernel saxpy = kernel(kernels::saxpy, {}, KernelGroupSize{64});
  const vkc::Buffer first = buffer_of(std::vector<float>(64, 1)),
                    second = buffer_of(std::vector<float>(64, 10));
  std::string name = "x", other = "y";
  vkc::Commands recorded = commands();
  ASSERT_TRUE(saxpy.dispatch(recorded, {}, {{name, first}, {other, second}}, push));  // second = 12
  name[0] = 'y';
  other[0] = 'x';
  ASSERT_TRUE(saxpy.dispatch(recorded, {}, {{name, first}, {other, second}}, push));  // first = 25
  name[0] = 'z';
  EXPECT_THAT(error_of(saxpy.dispatch(recorded, {}, {{name, first}, {other, second}}, push),
                       ErrorCode::invalid_argument),
              HasSubstr("there is no binding \"z\""));
  vkc::Commands again = commands();
  name[0] = 'y';
  ASSERT_TRUE(saxpy.dispatch(again, {}, {{other, first}, {name, second}}, push));  // second = 12
  other[0] = 'y';
  name[0] = 'x';
  ASSERT_TRUE(saxpy.dispatch(again, {}, {{other, first}, {name, second}}, push));  // first = 25
  run(again);
  EXPECT_THAT(values_of<float>(first), Each(25.0F));
  EXPECT_THAT(values_of<float>(second), Each(12.0F));
}

TEST_P(CommandsTest, ARecordingMayBeSubmittedAgain) {
  const vkc::Kernel kernel = add_one();
  const vkc::Buffer values = zeros(100);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(kernel.dispatch(recorded, {2}, {{"values", values}}));
  for (int i = 0; i < 5; ++i) run(recorded);
  EXPECT_THAT(values_of<std::uint32_t>(values), Each(5U));
}

TEST_P(CommandsTest, RowsOfOneStepDifferInPushConstantsOnly) {
  struct {
    std::uint32_t count;
    float a;
  } push = {64, 1};
  const vkc::Kernel saxpy = kernel(kernels::saxpy, {}, KernelGroupSize{64});
  const vkc::Buffer x = buffer_of(std::vector<float>(64, 1)), y = buffer_of(std::vector<float>(64, 0));
  vkc::Commands recorded = commands();
  for (int i = 1; i <= 10; ++i) {
    push.a = static_cast<float>(i);
    ASSERT_TRUE(saxpy.dispatch(recorded, {}, {{"x", x}, {"y", y}}, push));
  }
  run(recorded);
  EXPECT_THAT(values_of<float>(y), Each(55.0F));
}

// Work that is still under way when submit() returns, whatever the device's speed.
TEST_P(CommandsTest, WhatIsInFlightIsNotTouched) {
  struct {
    std::uint32_t rounds = 1000000;
  } push;
  const vkc::Kernel slow = kernel(kernels::busy);
  const vkc::Buffer values = zeros(64);
  vkc::Commands recorded = commands();
  while (true) {
    ASSERT_TRUE(slow.dispatch(recorded, {}, {{"values", values}}, push));
    const auto submission = recorded.submit();
    ASSERT_TRUE(submission);
    const auto again = recorded.submit();
    const auto reset = recorded.reset();
    const bool early = submission->wait_for(std::chrono::microseconds(1)).value();
    const bool in_flight = !submission->is_done().value();  // so it was for all of the above
    if (in_flight) {
      EXPECT_THAT(error_of(again, ErrorCode::invalid_argument), HasSubstr("still in flight"));
      EXPECT_THAT(error_of(reset, ErrorCode::invalid_argument), HasSubstr("still in flight"));
      EXPECT_FALSE(early);
    }
    ASSERT_TRUE(submission->wait());
    EXPECT_TRUE(submission->is_done().value());
    ASSERT_TRUE(!again || again->wait());
    ASSERT_TRUE(recorded.reset());
    if (in_flight) break;
    ASSERT_LT(push.rounds, 1000000000U) << "never caught in flight";
    push.rounds *= 4;
  }
}

TEST_P(CommandsTest, EverythingMayBeDroppedInFlight) {
  struct {
    std::uint32_t rounds = 2000000;
  } const push;
  for (int order = 0; order < 3; ++order) {
    std::optional<vkc::Kernel> slow = kernel(kernels::busy);
    std::optional<vkc::Buffer> values = zeros(64);
    std::optional<vkc::Commands> recorded = commands();
    ASSERT_TRUE(slow->dispatch(*recorded, {}, {{"values", *values}}, push));
    auto submitted = recorded->submit();
    ASSERT_TRUE(submitted);
    std::optional<vkc::Submission> submission = *submitted;
    submitted = tl::unexpected(vkc::Error{});
    slow.reset();
    values.reset();
    if (order == 0) recorded.reset();
    if (order == 1) submission.reset();
    if (order == 2) *recorded = commands();
  }
}

TEST_P(CommandsTest, MistakesAreErrors) {
  const vkc::Buffer values = buffer(64, vkc::MemoryKind::device, "values");
  const auto first_error = [&](auto record) {
    vkc::Commands recorded = commands();
    return error_of(record(recorded), ErrorCode::invalid_argument);
  };
  EXPECT_THAT(first_error([&](auto& c) { return c.fill(values.range(2, 4), 0); }),
              HasSubstr("multiples of 4"));
  EXPECT_THAT(first_error([&](auto& c) { return c.fill(values.range(0, 6), 0); }),
              HasSubstr("multiples of 4"));
  EXPECT_THAT(first_error([&](auto& c) { return c.fill(values.range(60, 8), 0); }),
              HasSubstr("not inside buffer \"values\""));
  EXPECT_THAT(first_error([&](auto& c) { return c.copy(values.range(0, 8), values.range(8, 4)); }),
              HasSubstr("copy of 8 bytes to a range of 4"));
  EXPECT_THAT(first_error([&](auto& c) { return c.copy(values.range(0, 32), values.range(16, 32)); }),
              HasSubstr("the ranges overlap"));
  EXPECT_THAT(first_error([&](auto& c) { return c.copy(values.range(0, 0), values.range(16, 0)); }),
              HasSubstr("not inside"));
}

TEST_P(CommandsTest, OptionsThatDoNotExistAreErrors) {
  EXPECT_THAT(error_of(vkc::Commands::create(device(), {.barriers = static_cast<vkc::Barriers>(2)}),
                       ErrorCode::invalid_argument),
              HasSubstr("barriers: 2 is no Barriers"));
  EXPECT_THAT(error_of(vkc::Commands::create(device(), {.queue = static_cast<vkc::Queue>(7)}),
                       ErrorCode::invalid_argument),
              HasSubstr("queue: 7 is no Queue"));
}

TEST_P(CommandsTest, TheFirstErrorIsKept) {
  const vkc::Buffer values = buffer_of(std::vector<std::uint32_t>(4, 1));
  vkc::Commands recorded = commands();
  (void)recorded.fill(values.range(1, 4), 0);
  EXPECT_THAT(error_of(recorded.fill(values, 7), ErrorCode::invalid_argument), HasSubstr("multiples of 4"));
  EXPECT_THAT(error_of(recorded.submit(), ErrorCode::invalid_argument), HasSubstr("multiples of 4"));
  ASSERT_TRUE(recorded.reset());
  ASSERT_TRUE(recorded.fill(values, 9));
  run(recorded);
  EXPECT_THAT(values_of<std::uint32_t>(values), Each(9U));
}

TEST_P(CommandsTest, ASubmittedRecordingIsClosed) {
  const vkc::Buffer values = zeros(4);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(values, 3));
  run(recorded);
  EXPECT_THAT(error_of(recorded.fill(values, 4), ErrorCode::invalid_argument), HasSubstr("call reset()"));
  run(recorded);  // which does not spoil it
  EXPECT_THAT(values_of<std::uint32_t>(values), Each(3U));
}

TEST_P(CommandsTest, AnEmptyRecordingIsFine) {
  vkc::Commands recorded = commands();
  run(recorded);
}

VKC_DEVICE_TESTS(CommandsTest);

}  // namespace
