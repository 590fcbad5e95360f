#include "spirv/passes/freeze_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler.h"
#include "spirv/reflect.h"
#include "spirv_test_kernels.h"

namespace {

using spirv::Module;
using spirv::PassStatus;
using spirv::SpecValue;
using testing::HasSubstr;

// Header lines, then constants, then a main that does nothing.
std::string kernel(const std::string& mode, const std::string& decorations, const std::string& constants) {
  return R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
)" + mode +
         "\n" + decorations +
         R"(%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 1
%5 = OpTypeInt 32 0
%6 = OpTypeBool
%7 = OpTypeFloat 32
%8 = OpTypeVector %5 3
)" + constants +
         R"(%1 = OpFunction %2 None %3
%9 = OpLabel
OpReturn
OpFunctionEnd
)";
}

Module read(const std::string& text) {
  auto module = Module::read(spirv_test::assemble(text));
  EXPECT_TRUE(module) << module.error().message << text;
  return *module;
}

void expect_freezes(const std::string& before, const std::vector<SpecValue>& values,
                    const std::string& after) {
  Module module = read(before);
  const spirv::PassOutcome outcome = spirv::freeze_constants(module, values);
  EXPECT_EQ(outcome.status, PassStatus::changed) << outcome.message;
  EXPECT_EQ(spirv_test::disassemble(module.words()), spirv_test::disassemble(spirv_test::assemble(after)));
  EXPECT_EQ(spirv_test::problem(module.words()), "");
}

const std::string kLiteral = "OpExecutionMode %1 LocalSize 1 1 1";

TEST(FreezeConstants, SetsConstantsOfEveryType) {
  expect_freezes(
      kernel(kLiteral,
             "OpDecorate %10 SpecId 0\nOpDecorate %11 SpecId 1\nOpDecorate %12 SpecId 2\nOpDecorate %13 "
             "SpecId 7\n",
             "%10 = OpSpecConstant %4 3\n%11 = OpSpecConstantTrue %6\n%12 = OpSpecConstantFalse %6\n"
             "%13 = OpSpecConstant %7 1.5\n"),
      {{0, 0xFFFFFFFB}, {1, 0}, {2, 1}, {7, 0x40000000}},
      kernel(kLiteral, "",
             "%10 = OpConstant %4 -5\n%11 = OpConstantFalse %6\n%12 = OpConstantTrue %6\n%13 = OpConstant %7 "
             "2\n"));
}

TEST(FreezeConstants, KeepsDefaultsOfTheRest) {
  expect_freezes(kernel(kLiteral, "OpDecorate %10 SpecId 0\nOpDecorate %11 SpecId 1\n",
                        "%10 = OpSpecConstant %4 3\n%11 = OpSpecConstantTrue %6\n"),
                 {{0, 4}}, kernel(kLiteral, "", "%10 = OpConstant %4 4\n%11 = OpConstantTrue %6\n"));
}

TEST(FreezeConstants, KeepsOtherDecorations) {
  expect_freezes(kernel(kLiteral, "OpDecorate %10 SpecId 0\nOpDecorate %10 RelaxedPrecision\n",
                        "%10 = OpSpecConstant %4 3\n"),
                 {}, kernel(kLiteral, "OpDecorate %10 RelaxedPrecision\n", "%10 = OpConstant %4 3\n"));
}

TEST(FreezeConstants, FoldsOperations) {
  expect_freezes(
      kernel(kLiteral, "OpDecorate %10 SpecId 0\n",
             "%10 = OpSpecConstant %4 3\n%11 = OpConstant %4 4\n%12 = OpSpecConstantOp %4 IMul %10 %11\n"
             "%13 = OpSpecConstantOp %6 SLessThan %12 %11\n%14 = OpSpecConstantOp %4 Select %13 %10 %12\n"),
      {{0, 5}},
      kernel(
          kLiteral, "",
          "%10 = OpConstant %4 5\n%11 = OpConstant %4 4\n%12 = OpConstant %4 20\n%13 = OpConstantFalse %6\n"
          "%14 = OpConstant %4 20\n"));
}

TEST(FreezeConstants, KeepsOperationsWithoutResult) {
  expect_freezes(
      kernel(kLiteral, "OpDecorate %10 SpecId 0\n",
             "%10 = OpSpecConstant %4 3\n%11 = OpConstant %4 4\n%12 = OpSpecConstantOp %4 SDiv %11 %10\n"),
      {{0, 0}},
      kernel(kLiteral, "",
             "%10 = OpConstant %4 0\n%11 = OpConstant %4 4\n%12 = OpSpecConstantOp %4 SDiv %11 %10\n"));
}

TEST(FreezeConstants, MakesTheGroupSizeLiteral) {
  expect_freezes(kernel("OpExecutionModeId %1 LocalSizeId %10 %11 %12",
                        "OpDecorate %10 SpecId 0\nOpDecorate %11 SpecId 1\n",
                        "%10 = OpSpecConstant %4 8\n%11 = OpSpecConstant %5 4\n%12 = OpConstant %5 2\n"),
                 {{0, 16}},
                 kernel("OpExecutionMode %1 LocalSize 16 4 2", "",
                        "%10 = OpConstant %4 16\n%11 = OpConstant %5 4\n%12 = OpConstant %5 2\n"));
}

TEST(FreezeConstants, FreezesTheWorkgroupSizeConstant) {
  expect_freezes(
      kernel(
          kLiteral, "OpDecorate %10 SpecId 0\nOpDecorate %11 BuiltIn WorkgroupSize\n",
          "%10 = OpSpecConstant %5 8\n%12 = OpConstant %5 1\n%11 = OpSpecConstantComposite %8 %10 %12 %12\n"),
      {{0, 32}},
      kernel(kLiteral, "OpDecorate %11 BuiltIn WorkgroupSize\n",
             "%10 = OpConstant %5 32\n%12 = OpConstant %5 1\n%11 = OpConstantComposite %8 %10 %12 %12\n"));
}

TEST(FreezeConstants, LeavesFrozenModulesAlone) {
  Module module = read(kernel(kLiteral, "", "%10 = OpConstant %4 3\n"));
  const auto before = module.words();
  EXPECT_EQ(spirv::freeze_constants(module, {}).status, PassStatus::unchanged);
  EXPECT_EQ(module.words(), before);
}

void expect_fails(const std::string& text, const std::vector<SpecValue>& values, const std::string& message) {
  Module module = read(text);
  const auto before = module.words();
  const spirv::PassOutcome outcome = spirv::freeze_constants(module, values);
  EXPECT_EQ(outcome.status, PassStatus::failed);
  EXPECT_THAT(outcome.message, HasSubstr(message));
  EXPECT_EQ(module.words(), before);
}

TEST(FreezeConstants, RefusesWrongValues) {
  const std::string text = kernel(kLiteral, "OpDecorate %10 SpecId 4\n", "%10 = OpSpecConstant %4 3\n");
  expect_fails(text, {{5, 1}}, "no specialization constant with id 5");
  expect_fails(text, {{4, 1}, {4, 2}}, "two values for specialization constant 4");
}

TEST(FreezeConstants, RefusesWrongGroupSizes) {
  const std::string text = kernel("OpExecutionModeId %1 LocalSizeId %11 %10 %11", "OpDecorate %10 SpecId 0\n",
                                  "%10 = OpSpecConstant %4 8\n%11 = OpConstant %4 1\n");
  expect_fails(text, {{0, 0}}, "group size y is not a positive number");
  expect_fails(text, {{0, 0xFFFFFFFF}}, "group size y is not a positive number");
}

TEST(FreezeConstants, RefusesDecorationGroups) {
  expect_fails(kernel(kLiteral, "OpDecorate %20 SpecId 0\n%20 = OpDecorationGroup\nOpGroupDecorate %20 %10\n",
                      "%10 = OpSpecConstant %4 8\n"),
               {}, "decoration groups");
}

TEST(FreezeConstants, FreezesCompiledKernels) {
  for (const vkc::KernelSource* source : spirv_test_kernels::all()) {
    SCOPED_TRACE(source->name);
    auto module = Module::read(source->spirv);
    ASSERT_TRUE(module);
    const auto before = spirv::reflect(*module);
    ASSERT_TRUE(before) << before.error().message;
    const PassStatus expected = before->constants.empty() ? PassStatus::unchanged : PassStatus::changed;
    const spirv::PassOutcome outcome = spirv::freeze_constants(*module, {});
    EXPECT_EQ(outcome.status, expected) << outcome.message;
    EXPECT_THAT(spirv_test::disassemble(module->words()), testing::Not(HasSubstr("OpSpecConstant")));
    EXPECT_THAT(spirv_test::disassemble(module->words()), testing::Not(HasSubstr("LocalSizeId")));
    EXPECT_EQ(spirv_test::problem(module->words()), "");
    const auto after = spirv::reflect(*module);
    ASSERT_TRUE(after);
    EXPECT_TRUE(after->constants.empty());
    EXPECT_EQ(after->group_size.values, before->group_size.values);
    EXPECT_EQ(after->shared_memory_bytes, before->shared_memory_bytes);
  }
}

}  // namespace
