#include "upscale/bench.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>

namespace upres::upscale {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Status check(const std::vector<float>& actual, const std::vector<float>& expected,
             Precision precision = Precision::fp32) {
  const Accuracy accuracy = accuracy_of(actual, expected, precision);
  BenchResult result;
  result.max_error = accuracy.max_error;
  result.error_limit = accuracy.limit;
  return check_error(result);
}

TEST(Bench, ErrorsBeyondThePrecisionAreWrong) {
  EXPECT_TRUE(check({0.5F, 0.25F}, {0.5F, 0.25F}));
  EXPECT_TRUE(check({0.50001F, 0.25F}, {0.5F, 0.25F}));
  const Status off = check({0.5F, 0.252F}, {0.5F, 0.25F});
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().code, ErrorCode::device);
  EXPECT_THAT(off.error().message,
              testing::HasSubstr("differs from the plain reference by 0.002, more than 0.0001"));
  EXPECT_TRUE(check({0.5F, 0.252F}, {0.5F, 0.25F}, Precision::bf16));
  EXPECT_FALSE(check({0.5F, 0.5F}, {0.5F, 0.25F}, Precision::bf16));
}

TEST(Bench, LargeSamplesMayDifferMore) {
  EXPECT_TRUE(check({1000.01F}, {1000.0F}));
  EXPECT_FALSE(check({1001.0F}, {1000.0F}));
  EXPECT_TRUE(check({0.01F, 1000.0F}, {0.0F, 1000.0F}));
}

TEST(Bench, SamplesThatAreNoNumbers) {
  EXPECT_FALSE(check({kNan, 0.5F}, {0.25F, 0.5F}));
  EXPECT_FALSE(check({0.5F, kInfinity}, {0.5F, 0.25F}));
  EXPECT_FALSE(check({0.5F, 0.5F}, {kNan, 0.5F}));
  EXPECT_TRUE(check({kNan, kInfinity}, {kNan, kInfinity})) << "as the network says";
  EXPECT_EQ(accuracy_of(std::array{kNan}, std::array{0.0F}, Precision::fp32).max_error,
            std::numeric_limits<double>::infinity());
}

TEST(Bench, AKernelsShareIsThatOfItsMultiplyAdds) {
  BenchResult result;
  const auto layer = [](const std::string& kernel, uint64_t flops) {
    BenchLayer made;
    made.kernel = kernel;
    made.flops = flops;
    return made;
  };
  result.layers = {layer("conv_rows_64_64_2x1", 60), layer("conv_rows", 15), layer("conv_rowsx", 20),
                   layer("conv_columns", 5), layer("depth_to_space", 1000)};
  EXPECT_DOUBLE_EQ(share_of(result, "conv_rows"), 0.75);
  EXPECT_DOUBLE_EQ(share_of(result, "conv_naive"), 0);
  EXPECT_DOUBLE_EQ(share_of({}, "conv_naive"), 0);
}

}  // namespace
}  // namespace upres::upscale
