#include "spirv/constants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assembler.h"

namespace {

using spirv::ConstantValues;
using spirv::Module;

const std::string kTypes = R"(
    %1 = OpTypeInt 32 1
    %2 = OpTypeInt 32 0
    %3 = OpTypeBool
    %4 = OpTypeInt 16 1
    %5 = OpTypeInt 64 0
    %6 = OpTypeFloat 32
    %7 = OpTypeFloat 16
    %8 = OpTypeVector %2 3
    %9 = OpTypeFloat 64
)";

// The value of %100 in a module of kTypes and `text`; the OpSpecConstants with ids 20, 21 have specialization
// ids 0, 1.
std::optional<std::uint64_t> value(const std::string& text,
                                   const std::vector<spirv::SpecValue>& overrides = {}) {
  const std::string decorations = "OpDecorate %20 SpecId 0\nOpDecorate %21 SpecId 1\n";
  const auto words = spirv_test::assemble(decorations + kTypes + text);
  EXPECT_FALSE(words.empty()) << "does not assemble: " << text;
  const auto module = Module::read(words);
  EXPECT_TRUE(module);
  if (!module) return std::nullopt;
  const ConstantValues values(*module, overrides);
  const spirv::ConstantBits* found = values.find(100);
  if (found == nullptr || found->components.size() != 1) return std::nullopt;
  return found->components[0];
}

// The value of an operation on two signed constants.
std::optional<std::uint64_t> operation(const std::string& op, int a, int b) {
  return value("%20 = OpSpecConstant %1 " + std::to_string(a) + "\n%21 = OpSpecConstant %1 " +
               std::to_string(b) + "\n%100 = OpSpecConstantOp %1 " + op + " %20 %21\n");
}
std::optional<std::uint64_t> comparison(const std::string& op, int a, int b) {
  return value("%20 = OpSpecConstant %1 " + std::to_string(a) + "\n%21 = OpSpecConstant %1 " +
               std::to_string(b) + "\n%100 = OpSpecConstantOp %3 " + op + " %20 %21\n");
}

std::uint64_t bits(int number) { return static_cast<std::uint32_t>(number); }

TEST(ConstantValues, ComputesIntegers) {
  EXPECT_EQ(operation("IAdd", 7, -9), bits(-2));
  EXPECT_EQ(operation("ISub", 7, 9), bits(-2));
  EXPECT_EQ(operation("IMul", -7, 9), bits(-63));
  EXPECT_EQ(operation("IMul", 65536, 65537), bits(65536));  // wraps
  EXPECT_EQ(operation("SDiv", -7, 2), bits(-3));
  EXPECT_EQ(operation("UDiv", -7, 2), bits(0x7FFFFFFC));
  EXPECT_EQ(operation("SRem", -7, 3), bits(-1));
  EXPECT_EQ(operation("SMod", -7, 3), bits(2));
  EXPECT_EQ(operation("SMod", 7, -3), bits(-2));
  EXPECT_EQ(operation("UMod", 7, 3), bits(1));
  EXPECT_EQ(operation("BitwiseAnd", 12, 10), bits(8));
  EXPECT_EQ(operation("BitwiseOr", 12, 10), bits(14));
  EXPECT_EQ(operation("BitwiseXor", 12, 10), bits(6));
  EXPECT_EQ(operation("ShiftLeftLogical", 3, 30), bits(static_cast<int>(0xC0000000)));
  EXPECT_EQ(operation("ShiftRightLogical", -8, 1), bits(0x7FFFFFFC));
  EXPECT_EQ(operation("ShiftRightArithmetic", -8, 1), bits(-4));
}

TEST(ConstantValues, LeavesUndefinedResultsAlone) {
  for (const char* op : {"SDiv", "UDiv", "SRem", "SMod", "UMod"})
    EXPECT_EQ(operation(op, 7, 0), std::nullopt) << op;
  for (const char* op : {"ShiftLeftLogical", "ShiftRightLogical", "ShiftRightArithmetic"}) {
    EXPECT_EQ(operation(op, 7, 32), std::nullopt) << op;
    EXPECT_EQ(operation(op, 7, -1), std::nullopt) << op;
  }
  const int smallest = std::numeric_limits<int>::min();
  EXPECT_EQ(operation("SDiv", smallest, -1), bits(smallest));
  EXPECT_EQ(operation("SRem", smallest, -1), bits(0));
}

TEST(ConstantValues, Compares) {
  EXPECT_EQ(comparison("IEqual", 3, 3), 1U);
  EXPECT_EQ(comparison("INotEqual", 3, 3), 0U);
  EXPECT_EQ(comparison("SLessThan", -1, 1), 1U);
  EXPECT_EQ(comparison("ULessThan", -1, 1), 0U);
  EXPECT_EQ(comparison("SGreaterThan", -1, 1), 0U);
  EXPECT_EQ(comparison("UGreaterThan", -1, 1), 1U);
  EXPECT_EQ(comparison("SLessThanEqual", 1, 1), 1U);
  EXPECT_EQ(comparison("ULessThanEqual", 2, 1), 0U);
  EXPECT_EQ(comparison("SGreaterThanEqual", 1, 1), 1U);
  EXPECT_EQ(comparison("UGreaterThanEqual", 0, 1), 0U);
}

TEST(ConstantValues, ComputesTruth) {
  const std::string two = "%20 = OpSpecConstantTrue %3\n%21 = OpSpecConstantFalse %3\n";
  EXPECT_EQ(value(two + "%100 = OpSpecConstantOp %3 LogicalOr %20 %21\n"), 1U);
  EXPECT_EQ(value(two + "%100 = OpSpecConstantOp %3 LogicalAnd %20 %21\n"), 0U);
  EXPECT_EQ(value(two + "%100 = OpSpecConstantOp %3 LogicalEqual %20 %21\n"), 0U);
  EXPECT_EQ(value(two + "%100 = OpSpecConstantOp %3 LogicalNotEqual %20 %21\n"), 1U);
  EXPECT_EQ(value(two + "%100 = OpSpecConstantOp %3 LogicalNot %20\n"), 0U);
  const std::string choice =
      two + "%30 = OpConstant %1 5\n%31 = OpConstant %1 6\n%100 = OpSpecConstantOp %1 Select %20 %30 %31\n";
  EXPECT_EQ(value(choice), 5U);
  EXPECT_EQ(value(choice, {{0, 0}}), 6U);
}

TEST(ConstantValues, Converts) {
  EXPECT_EQ(value("%20 = OpSpecConstant %4 -2\n%100 = OpSpecConstantOp %5 SConvert %20\n"),
            0xFFFFFFFFFFFFFFFEU);
  EXPECT_EQ(value("%20 = OpSpecConstant %4 -2\n%100 = OpSpecConstantOp %5 UConvert %20\n"), 0xFFFEU);
  EXPECT_EQ(value("%20 = OpSpecConstant %5 0x100000005\n%100 = OpSpecConstantOp %2 UConvert %20\n"), 5U);
  EXPECT_EQ(value("%20 = OpSpecConstant %1 5\n%100 = OpSpecConstantOp %1 SNegate %20\n"), bits(-5));
  EXPECT_EQ(value("%20 = OpSpecConstant %1 5\n%100 = OpSpecConstantOp %1 Not %20\n"), bits(~5));
  EXPECT_EQ(value("%20 = OpSpecConstant %9 0.1\n%100 = OpSpecConstantOp %6 FConvert %20\n"),
            spirv::float_bits(32, static_cast<double>(0.1F)));
  EXPECT_EQ(value("%20 = OpSpecConstant %7 0x1.8p+1\n%100 = OpSpecConstantOp %6 FConvert %20\n"),
            spirv::float_bits(32, 3.0));
}

TEST(ConstantValues, TakesVectorsApart) {
  const std::string vector =
      "%20 = OpSpecConstant %2 5\n%30 = OpConstant %2 6\n%31 = OpConstant %2 7\n"
      "%40 = OpSpecConstantComposite %8 %20 %30 %31\n%41 = OpConstantNull %8\n";
  EXPECT_EQ(value(vector + "%100 = OpSpecConstantOp %2 CompositeExtract %40 2\n"), 7U);
  EXPECT_EQ(
      value(vector +
            "%42 = OpSpecConstantOp %8 IAdd %40 %40\n%100 = OpSpecConstantOp %2 CompositeExtract %42 0\n"),
      10U);
  EXPECT_EQ(value(vector + "%42 = OpSpecConstantOp %8 VectorShuffle %41 %40 5 0 3\n"
                           "%100 = OpSpecConstantOp %2 CompositeExtract %42 0\n"),
            7U);
  EXPECT_EQ(value(vector + "%42 = OpSpecConstantOp %8 CompositeInsert %20 %41 1\n"
                           "%100 = OpSpecConstantOp %2 CompositeExtract %42 1\n"),
            5U);
}

TEST(ConstantValues, UsesTheValuesGiven) {
  const std::string sum =
      "%20 = OpSpecConstant %1 1\n%21 = OpSpecConstant %1 2\n%100 = OpSpecConstantOp %1 IAdd %20 %21\n";
  EXPECT_EQ(value(sum), 3U);
  EXPECT_EQ(value(sum, {{1, 40}}), 41U);
  EXPECT_EQ(value(sum, {{0, bits(-1)}, {1, 0xFFFFFFFF00000002}}), 1U);  // bits beyond the type are ignored
}

TEST(ConstantValues, TellsUnsignedValues) {
  const auto module =
      Module::read(spirv_test::assemble(kTypes + "%30 = OpConstant %1 -1\n%31 = OpConstant %1 5\n%32 = "
                                                 "OpConstant %5 0x100000000\n%33 = OpConstant %6 1\n"));
  ASSERT_TRUE(module);
  const ConstantValues values(*module, {});
  EXPECT_EQ(values.unsigned_value(30), std::nullopt);
  EXPECT_EQ(values.unsigned_value(31), 5U);
  EXPECT_EQ(values.unsigned_value(32), std::nullopt);
  EXPECT_EQ(values.unsigned_value(33), std::nullopt);
  EXPECT_EQ(values.unsigned_value(99), std::nullopt);
}

TEST(ConstantWords, ExtendSignsOfNarrowIntegers) {
  using Kind = spirv::ScalarType::Kind;
  EXPECT_EQ(spirv::constant_words({Kind::signed_integer, 16}, 0xFFFE),
            std::vector<std::uint32_t>{0xFFFFFFFE});
  EXPECT_EQ(spirv::constant_words({Kind::unsigned_integer, 16}, 0xABCDFFFE),
            std::vector<std::uint32_t>{0xFFFE});
  EXPECT_EQ(spirv::constant_words({Kind::unsigned_integer, 64}, 0x100000002),
            (std::vector<std::uint32_t>{2, 1}));
  EXPECT_TRUE(spirv::constant_words({Kind::boolean, 0}, 1).empty());
}

TEST(HalfPrecision, EveryValueSurvives) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0) continue;  // not a number
    EXPECT_EQ(spirv::float_bits(16, spirv::float_value(16, half)), half);
  }
}

TEST(HalfPrecision, RoundsToNearestEven) {
  EXPECT_EQ(spirv::float_bits(16, 1.0 + std::ldexp(1, -11)), 0x3C00U);  // tie, down to even
  EXPECT_EQ(spirv::float_bits(16, 1.0 + std::ldexp(3, -11)), 0x3C02U);  // tie, up to even
  EXPECT_EQ(spirv::float_bits(16, 1.0 + std::ldexp(1, -11) + std::ldexp(1, -30)), 0x3C01U);
  EXPECT_EQ(spirv::float_bits(16, 2047.9999), 0x6800U);  // carries into the exponent
  EXPECT_EQ(spirv::float_bits(16, 65519.9), 0x7BFFU);
  EXPECT_EQ(spirv::float_bits(16, 65520), 0x7C00U);
  EXPECT_EQ(spirv::float_bits(16, -std::numeric_limits<double>::infinity()), 0xFC00U);
  EXPECT_EQ(spirv::float_bits(16, std::ldexp(1, -26)), 0U);
  EXPECT_EQ(spirv::float_bits(16, std::ldexp(3, -25)), 2U);
  EXPECT_TRUE(std::isnan(spirv::float_value(16, spirv::float_bits(16, std::nan("")))));
}

}  // namespace
