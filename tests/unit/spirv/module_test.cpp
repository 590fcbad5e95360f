#include "spirv/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler.h"
#include "spirv_test_kernels.h"

namespace {

using spirv::Module;
using spirv::Op;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

const Words kHeader = {spirv::kMagic, 0x00010300, 0, 10, 0};

Words with_header(Words instructions) {
  Words words = kHeader;
  words.insert(words.end(), instructions.begin(), instructions.end());
  return words;
}

std::string error_of(const Words& words) {
  const auto module = Module::read(words);
  return module ? "" : module.error().message;
}

TEST(Module, ReadsWhatItIsGiven) {
  const Words words = with_header({0x00020011, 1, 0x0003000E, 0, 1});  // OpCapability Shader, OpMemoryModel
  const auto module = Module::read(words);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->words(), words);
  EXPECT_EQ(module->version(), (spirv::Version{1, 3}));
  EXPECT_EQ(module->id_bound(), 10U);
  std::vector<std::size_t> offsets;
  for (const spirv::Instruction instruction : *module) offsets.push_back(instruction.offset);
  EXPECT_THAT(offsets, testing::ElementsAre(5, 7));
}

TEST(Module, AHeaderAloneHasNoInstructions) {
  const auto module = Module::read(kHeader);
  ASSERT_TRUE(module);
  EXPECT_FALSE(module->begin() != module->end());
}

TEST(Module, SwapsTheOtherByteOrder) {
  const Words words = with_header({0x00020011, 1});
  Words other = words;
  for (std::uint32_t& word : other) word = __builtin_bswap32(word);
  const auto module = Module::read(other);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->words(), words);
}

TEST(Module, RefusesWhatIsNoModule) {
  EXPECT_THAT(error_of({}), HasSubstr("shorter than a header"));
  EXPECT_THAT(error_of({spirv::kMagic, 0x00010300, 0, 10}), HasSubstr("shorter than a header"));
  EXPECT_THAT(error_of({1, 2, 3, 4, 5}), HasSubstr("wrong magic number"));
  EXPECT_THAT(error_of({spirv::kMagic, 0x00020000, 0, 10, 0}), HasSubstr("version"));
  EXPECT_THAT(error_of({spirv::kMagic, 0x00010700, 0, 10, 0}), HasSubstr("version"));
  EXPECT_THAT(error_of({spirv::kMagic, 0x00010300, 0, 0, 0}), HasSubstr("id bound 0"));
  EXPECT_THAT(error_of({spirv::kMagic, 0x00010300, 0, 0xFFFFFFFF, 0}), HasSubstr("id bound"));
  const auto odd = Module::read_bytes(std::vector<std::byte>(21));
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().message, HasSubstr("multiple of 4"));
}

TEST(Module, RefusesInstructionsThatDoNotFit) {
  EXPECT_THAT(error_of(with_header({0x00000011})), HasSubstr("length 0"));
  EXPECT_THAT(error_of(with_header({0x00030011, 1})), HasSubstr("length 3 where 2 words are left"));
  EXPECT_THAT(error_of(with_header({0x00010011})), HasSubstr("too short"));        // OpCapability
  EXPECT_THAT(error_of(with_header({0x00030047, 1, 1})), HasSubstr("too short"));  // OpDecorate SpecId
  EXPECT_THAT(error_of(with_header({0x00040010, 1, 17, 1})),
              HasSubstr("too short"));  // OpExecutionMode LocalSize
  EXPECT_THAT(error_of(with_header({0x00030015, 1, 32})), HasSubstr("too short"));  // OpTypeInt
}

TEST(Module, RefusesIdsThatAreWrong) {
  EXPECT_THAT(error_of(with_header({0x00020013, 1, 0x00020014, 1})), HasSubstr("id 1 is defined twice"));
  EXPECT_THAT(error_of(with_header({0x00020013, 10})), HasSubstr("id 10 is not below the bound"));
}

TEST(Module, MakesNewSourceLanguagesUnknown) {
  const auto slang = Module::read(with_header({0x00030003, 11, 1}));
  ASSERT_TRUE(slang);
  EXPECT_EQ(slang->words(), with_header({0x00030003, 0, 1}));
  const auto glsl = Module::read(with_header({0x00030003, 2, 450}));
  ASSERT_TRUE(glsl);
  EXPECT_EQ(glsl->words(), with_header({0x00030003, 2, 450}));
}

TEST(Module, ReadsText) {
  const Words words = {0x00050005, 1, 0x6C696B73, 0x00006C, 0xFFFFFFFF};
  EXPECT_EQ((spirv::Instruction{words, 0}.text(2)), "skill");
  const Words unterminated = {0x00030005, 1, 0x6C696B73};
  EXPECT_EQ((spirv::Instruction{unterminated, 0}.text(2)), "skil");
}

TEST(Module, FindsDefinitions) {
  const auto module = Module::read(with_header({0x00040015, 7, 32, 1, 0x00020013, 3}));
  ASSERT_TRUE(module);
  const spirv::Definitions definitions(*module);
  ASSERT_FALSE(definitions.find(7).words.empty());
  EXPECT_EQ(definitions.find(7).op(), Op::TypeInt);
  EXPECT_EQ(definitions.find(3).op(), Op::TypeVoid);
  EXPECT_TRUE(definitions.find(4).words.empty());
  EXPECT_TRUE(definitions.find(0).words.empty());
}

TEST(Module, RefusesBrokenFunctions) {
  const std::string begin =
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n";
  const std::string function = "%1 = OpFunction %2 None %3\n", label = "%4 = OpLabel\n";
  const auto message = [&](const std::string& body) {
    const auto module = Module::read(spirv_test::assemble(begin + body));
    return module ? std::string() : module.error().message;
  };
  EXPECT_EQ(message(function + label + "OpReturn\nOpFunctionEnd\n"), "");
  EXPECT_THAT(message(function), HasSubstr("ends inside a function"));
  EXPECT_THAT(message(function + label), HasSubstr("ends inside a function"));
  EXPECT_THAT(message(function + label + "OpReturn\n"), HasSubstr("ends inside a function"));
  EXPECT_THAT(message(function + label + "OpFunctionEnd\n"), HasSubstr("is not where functions and blocks"));
  EXPECT_THAT(message(function + "OpReturn\nOpFunctionEnd\n"),
              HasSubstr("is not where functions and blocks"));
  EXPECT_THAT(message("OpFunctionEnd\n"), HasSubstr("is not where functions and blocks"));
}

TEST(Module, WritesWhatItRead) {
  for (const vkc::KernelSource* kernel : spirv_test_kernels::all()) {
    SCOPED_TRACE(kernel->name);
    const auto module = Module::read(kernel->spirv);
    ASSERT_TRUE(module) << module.error().message;
    spirv::ModuleWriter writer(*module);
    for (const spirv::Instruction instruction : *module) {
      if (instruction.op() == Op::Name) {
        writer.write(Op::Name, instruction.words.subspan(1));
      } else {
        writer.copy(instruction);
      }
    }
    EXPECT_EQ(writer.take(), module->words());
  }
}

}  // namespace
