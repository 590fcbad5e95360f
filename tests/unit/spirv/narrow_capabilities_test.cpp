#include "spirv/passes/narrow_capabilities.h"

#include <gtest/gtest.h>

#include "assembler.h"

namespace {

using spirv::PassStatus;

// A buffer of numbers of this type in this storage class, and a main that does nothing.
std::string kernel(const std::string& capability, const std::string& number, const std::string& storage,
                   const std::string& block = "Block") {
  return "OpCapability Shader\n" + capability + R"(
OpExtension "SPV_KHR_8bit_storage"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
OpDecorate %6 ArrayStride 4
OpMemberDecorate %7 0 Offset 0
OpDecorate %7 )" +
         block + R"(
OpDecorate %9 DescriptorSet 0
OpDecorate %9 Binding 0
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%5 = )" + number +
         R"(
%10 = OpConstant %4 4
%6 = OpTypeArray %5 %10
%7 = OpTypeStruct %6
%8 = OpTypePointer )" +
         storage + R"( %7
%9 = OpVariable %8 )" +
         storage + R"(
%1 = OpFunction %2 None %3
%11 = OpLabel
OpReturn
OpFunctionEnd
)";
}

struct Narrowed {
  PassStatus status = PassStatus::failed;
  std::vector<std::uint32_t> words;
};

Narrowed narrowed(const std::string& text) {
  auto module = spirv::Module::read(spirv_test::assemble(text));
  EXPECT_TRUE(module) << text;
  if (!module) return {};
  const spirv::PassOutcome outcome = spirv::narrow_capabilities(*module);
  return {outcome.status, module->words()};
}

TEST(NarrowCapabilities, StorageBuffersNeedNoMore) {
  for (const auto& [from, to, number] :
       {std::array{"OpCapability UniformAndStorageBuffer16BitAccess", "OpCapability StorageBuffer16BitAccess",
                   "OpTypeFloat 16"},
        std::array{"OpCapability UniformAndStorageBuffer8BitAccess", "OpCapability StorageBuffer8BitAccess",
                   "OpTypeInt 8 0"}}) {
    const Narrowed result = narrowed(kernel(from, number, "StorageBuffer"));
    EXPECT_EQ(result.status, PassStatus::changed);
    EXPECT_EQ(spirv_test::disassemble(result.words),
              spirv_test::disassemble(spirv_test::assemble(kernel(to, number, "StorageBuffer"))));
    EXPECT_EQ(spirv_test::problem(result.words, SPV_ENV_UNIVERSAL_1_3), "");
  }
}

TEST(NarrowCapabilities, StorageBuffersOfOldStyle) {
  const Narrowed result = narrowed(
      kernel("OpCapability UniformAndStorageBuffer16BitAccess", "OpTypeFloat 16", "Uniform", "BufferBlock"));
  EXPECT_EQ(result.status, PassStatus::changed);
  EXPECT_EQ(spirv_test::disassemble(result.words),
            spirv_test::disassemble(spirv_test::assemble(kernel(
                "OpCapability StorageBuffer16BitAccess", "OpTypeFloat 16", "Uniform", "BufferBlock"))));
  EXPECT_EQ(spirv_test::problem(result.words), "");
}

TEST(NarrowCapabilities, UniformBuffersKeepTheirs) {
  const std::string text =
      kernel("OpCapability UniformAndStorageBuffer16BitAccess", "OpTypeFloat 16", "Uniform");
  const Narrowed result = narrowed(text);
  EXPECT_EQ(result.status, PassStatus::unchanged);
  EXPECT_EQ(spirv_test::disassemble(result.words), spirv_test::disassemble(spirv_test::assemble(text)));
}

TEST(NarrowCapabilities, OthersAreLeftAlone) {
  EXPECT_EQ(
      narrowed(kernel("OpCapability StorageBuffer16BitAccess", "OpTypeFloat 16", "StorageBuffer")).status,
      PassStatus::unchanged);
  EXPECT_EQ(narrowed(kernel("OpCapability Int64", "OpTypeFloat 32", "StorageBuffer")).status,
            PassStatus::unchanged);
}

}  // namespace
