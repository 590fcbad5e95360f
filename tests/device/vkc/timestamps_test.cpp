#include <algorithm>
#include <chrono>

#include "test_device.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc_test::error_of;

class TimestampsTest : public vkc_test::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!device_) return;
    if (device().properties().limits.timestamp_valid_bits == 0) GTEST_SKIP() << "no timestamps";
  }
  vkc::Timestamps timestamps(std::uint32_t count) {
    auto result = vkc::Timestamps::create(device(), count);
    EXPECT_TRUE(result) << result.error().message;
    return std::move(result.value());
  }
};

// The fastest of a few runs: other programs share the machine.
TEST_P(TimestampsTest, LongerWorkTakesLonger) {
  struct {
    std::uint32_t rounds = 1000;
  } push;
  const vkc::Kernel busy = kernel(kernels::busy);
  const vkc::Buffer values = buffer(256);
  const vkc::Timestamps times = timestamps(3);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(values, 1));
  ASSERT_TRUE(recorded.write_timestamp(times, 0));
  ASSERT_TRUE(busy.dispatch(recorded, {}, {{"values", values}}, push));
  ASSERT_TRUE(recorded.write_timestamp(times, 1));
  push.rounds = 1000000;
  ASSERT_TRUE(busy.dispatch(recorded, {}, {{"values", values}}, push));
  ASSERT_TRUE(recorded.write_timestamp(times, 2));
  double short_ms = 1e9, long_ms = 1e9;
  for (int round = 0; round < 4; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    run(recorded);
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
    const auto read = times.read_ms();
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), 3U);
    EXPECT_EQ((*read)[0], 0);
    EXPECT_LE((*read)[1], (*read)[2]);
    EXPECT_DOUBLE_EQ(times.elapsed_ms(0, 2).value(), (*read)[2]);
    EXPECT_LE((*read)[2], wall.count() * 1.05 + 1);
    short_ms = std::min(short_ms, (*read)[1]);
    long_ms = std::min(long_ms, (*read)[2] - (*read)[1]);
  }
  EXPECT_GT(long_ms, short_ms);
}

TEST_P(TimestampsTest, UnwrittenEntriesAreErrors) {
  const vkc::Timestamps times = timestamps(2);
  EXPECT_THAT(error_of(times.elapsed_ms(0, 1), ErrorCode::invalid_argument),
              HasSubstr("timestamp 0 is not written yet"));
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.write_timestamp(times, 0));
  EXPECT_THAT(error_of(times.elapsed_ms(0, 0), ErrorCode::invalid_argument), HasSubstr("not written yet"));
  run(recorded);
  EXPECT_TRUE(times.elapsed_ms(0, 0));
  EXPECT_THAT(error_of(times.read_ms(), ErrorCode::invalid_argument),
              HasSubstr("timestamp 1 is not written yet"));
}

TEST_P(TimestampsTest, OneClockForAllOfADevice) {
  const vkc::Timestamps first = timestamps(2);
  const vkc::Timestamps second = timestamps(1);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.write_timestamp(first, 0));
  ASSERT_TRUE(recorded.write_timestamp(first, 1));
  run(recorded);
  vkc::Commands later = commands();
  ASSERT_TRUE(later.write_timestamp(second, 0));
  run(later);
  const auto times = first.read_clock_ms(0, 2);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_NEAR((*times)[1] - (*times)[0], first.elapsed_ms(0, 1).value(), 1e-6);
  EXPECT_GE(second.read_clock_ms(0, 1).value().front(), (*times)[1]);
  EXPECT_GE(times->front(), 0);
  EXPECT_THAT(error_of(first.read_clock_ms(1, 2), ErrorCode::invalid_argument),
              HasSubstr("timestamp 2: there are 2"));
  EXPECT_THAT(error_of(first.read_clock_ms(1, 0xffffffffU), ErrorCode::invalid_argument),
              HasSubstr("there are 2"));
  EXPECT_THAT(error_of(first.read_clock_ms(0, 0), ErrorCode::invalid_argument), HasSubstr("a count of 0"));
  EXPECT_THAT(error_of(timestamps(1).read_clock_ms(0, 1), ErrorCode::invalid_argument),
              HasSubstr("not written yet"));
}

TEST_P(TimestampsTest, EntriesBeyondTheCountAreErrors) {
  const vkc::Timestamps times = timestamps(2);
  EXPECT_EQ(times.count(), 2U);
  vkc::Commands recorded = commands();
  EXPECT_THAT(error_of(recorded.write_timestamp(times, 2), ErrorCode::invalid_argument),
              HasSubstr("timestamp 2: there are 2"));
  EXPECT_THAT(error_of(times.elapsed_ms(0, 7), ErrorCode::invalid_argument),
              HasSubstr("timestamp 7: there are 2"));
  EXPECT_THAT(error_of(vkc::Timestamps::create(device(), 0xffffffffU), ErrorCode::limit_exceeded),
              HasSubstr("4294967295 is more than 1048576"));
  EXPECT_THAT(error_of(vkc::Timestamps::create(device(), 0), ErrorCode::invalid_argument),
              HasSubstr("count of 0"));
}

VKC_DEVICE_TESTS(TimestampsTest);

}  // namespace
