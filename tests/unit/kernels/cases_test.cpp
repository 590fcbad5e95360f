#include "kernels/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "graph/verify.h"

namespace upres::kernels {
namespace {

TEST(Cases, LinesAreUniqueAndGraphsAreSound) {
  std::set<std::string> lines;
  for (const KernelCase& test : kernel_cases({16, 8, 1})) {
    EXPECT_TRUE(lines.insert(test.line).second) << "twice: " << test.line;
    EXPECT_FALSE(test.tolerance.reason.empty()) << test.line;
    const auto status = graph::verify_runnable(test.graph);
    EXPECT_TRUE(status.has_value()) << test.line << ": " << (status ? "" : status.error().text());
  }
}

TEST(Cases, CoverEveryKernelOfTheTable) {
  const auto cases = kernel_cases({16, 8, 1});
  for (const Kernel* kernel : all_kernels()) {
    const auto count = std::ranges::count_if(
        cases, [&](const KernelCase& test) { return kernel->computes(test.graph, test.node()); });
    EXPECT_GE(count, 5) << kernel->id();
  }
}

TEST(Cases, TheLineAndTheSeedReproduceTheData) {
  const auto first = kernel_cases({16, 8, 1});
  const auto again = kernel_cases({16, 8, 1});
  const auto other = kernel_cases({16, 8, 1}, 1);
  for (size_t i = 0; i < first.size(); i += 17) {
    EXPECT_EQ(case_inputs(first[i])[0].bytes, case_inputs(again[i])[0].bytes);
    EXPECT_EQ(first[i].line, other[i].line);
    if (case_inputs(first[i])[0].bytes.size() >= 8) {
      EXPECT_NE(case_inputs(first[i])[0].bytes, case_inputs(other[i])[0].bytes);
    }
  }
}

// Drops the lower `bits` of each sample's fraction.
void shorten(std::span<float> samples, int bits) {
  for (float& sample : samples)
    sample = std::bit_cast<float>(std::bit_cast<uint32_t>(sample) & ~((1U << bits) - 1));
}

// How many convolutions without special samples are within their bfloat16 tolerance when their inputs lack
// the lower `bits` of their fractions, and of how many.
std::pair<int, int> within_tolerance(int bits) {
  std::pair<int, int> count;
  for (KernelCase& test : kernel_cases({16, 8, 1})) {
    if (!std::holds_alternative<graph::Conv>(test.node().op) || test.with_specials) continue;
    allow_rounding(test, kBfloat16Bits);
    auto inputs = case_inputs(test);
    const auto expected = case_expected(test, inputs).value();
    shorten(inputs[0].as<float>(), bits);
    const auto actual = case_expected(test, inputs).value();
    count.first += compare_outputs(test, expected, actual).ok() ? 1 : 0;
    ++count.second;
  }
  return count;
}

TEST(Cases, TheToleranceForBfloat16AllowsThatAndLittleMore) {
  const auto [bfloat16, of_bfloat16] = within_tolerance(16);  // 7 of 23 bits stay: truncated, 2^-7 at most
  EXPECT_GE(bfloat16, of_bfloat16 - 2);
  const auto [coarse, of_coarse] = within_tolerance(20);
  EXPECT_LT(coarse, of_coarse / 2);
}

class Compare : public testing::Test {
 protected:
  KernelCase store_case() {
    for (KernelCase& test : kernel_cases({4, 4, 1})) {
      if (test.line == "store 3 channels u8 on 13x11") return test;
    }
    ADD_FAILURE() << "the case is gone";
    return {};
  }
  KernelCase decode_case() {
    for (KernelCase& test : kernel_cases({4, 4, 1})) {
      if (test.line.starts_with("decode luma block 3") && test.line.ends_with("to 1 channels f32 on 5x3"))
        return test;
    }
    ADD_FAILURE() << "the case is gone";
    return {};
  }
};

TEST_F(Compare, LevelsOfIntegers) {
  const KernelCase test = store_case();
  const auto expected = case_expected(test, case_inputs(test)).value();
  EXPECT_TRUE(compare_outputs(test, expected, expected).ok());
  auto actual = expected;
  actual[0].bytes[100] = actual[0].bytes[100] == std::byte{255}
                             ? std::byte{254}
                             : std::byte(std::to_integer<int>(actual[0].bytes[100]) + 1);
  const Comparison near = compare_outputs(test, expected, actual);
  EXPECT_TRUE(near.ok());
  EXPECT_EQ(near.largest_difference, 1);
  actual[0].bytes[100] = std::byte(std::to_integer<int>(expected[0].bytes[100]) ^ 0x80);
  EXPECT_NE(compare_outputs(test, expected, actual).mismatch.find("picture[100]"), std::string::npos);
}

TEST_F(Compare, NanOnlyWhereItBelongsAndCountsExactly) {
  const KernelCase test = decode_case();
  const auto expected = case_expected(test, case_inputs(test)).value();
  auto actual = expected;
  actual[0].as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(compare_outputs(test, expected, actual).ok());
  EXPECT_FALSE(compare_outputs(test, actual, expected).ok());
  EXPECT_TRUE(compare_outputs(test, actual, actual).ok());
  actual = expected;
  actual[1].as<uint32_t>()[0] = 1;
  EXPECT_NE(compare_outputs(test, expected, actual).mismatch.find("statistics"), std::string::npos);
}

TEST_F(Compare, OtherShapesAreNoMatch) {
  const KernelCase test = store_case();
  const auto expected = case_expected(test, case_inputs(test)).value();
  const std::vector<Tensor> other = {Tensor(expected[0].type, {1, 1})};
  EXPECT_FALSE(compare_outputs(test, expected, other).ok());
  EXPECT_FALSE(compare_outputs(test, expected, {}).ok());
}

}  // namespace
}  // namespace upres::kernels
