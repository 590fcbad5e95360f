// Logs of callers that throw.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "unit/api/samples.h"

namespace upres::test {
namespace {

// Whether what is thrown is a std::exception.
class ThrowingLogs : public testing::TestWithParam<bool> {
 protected:
  Log log_{[this](LogLevel, std::string_view) {
    ++calls_;
    if (GetParam()) throw std::runtime_error("no room");
    throw 1;
  }};
  std::atomic<int> calls_ = 0;
};

TEST_P(ThrowingLogs, LoseTheirMessagesAndNothingElse) {
  EXPECT_TRUE(list_devices(log_));
  auto enlarger = Upscaler::open("espcn_x2", "cpu", log_);
  ASSERT_TRUE(enlarger) << enlarger.error().text();
  EXPECT_GT(calls_.exchange(0), 0) << "while opened";
  const Image source = picture({24, 16, 3, DType::u8});
  const auto result = enlarger->upscale(source.view());
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_GT(calls_.exchange(0), 0) << "in the caller's thread";
  const Image other = picture({24, 16, 1, DType::u16});
  const auto submitted = enlarger->submit(other.view())->wait();
  ASSERT_TRUE(submitted) << submitted.error().text();
  EXPECT_GT(calls_, 0) << "in a thread of the library";
}

INSTANTIATE_TEST_SUITE_P(Kinds, ThrowingLogs, testing::Bool());

}  // namespace
}  // namespace upres::test
