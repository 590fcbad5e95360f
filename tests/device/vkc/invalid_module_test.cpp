// Modules that are whole and wrong: an error that names the fault, and the driver never sees them.
#include <cstring>

#include "support/broken_spirv.h"
#include "test_device.h"

namespace {

namespace kernels = vkc_test_kernels;
using broken_spirv::with_instruction;
using broken_spirv::with_word;
using broken_spirv::word_of;
using broken_spirv::Words;
using testing::AllOf;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc_test::error_of;

class InvalidModuleTest : public vkc_test::DeviceTest {
 protected:
  std::string create_error(const Words& words) {
    return error_of(vkc::Kernel::create(device(), words, {}, vkc::KernelGroupSize{8}, {.name = "broken"}),
                    ErrorCode::invalid_module);
  }
  std::span<const std::uint32_t> good_ = kernels::saxpy.spirv;
};

TEST_P(InvalidModuleTest, UndefinedIds) {
  Words words(good_.begin(), good_.end());
  const std::uint32_t undefined = words[3]++;
  const std::string id = std::to_string(undefined);
  for (const std::uint32_t opcode : {broken_spirv::kLoad, broken_spirv::kFMul, broken_spirv::kAccessChain}) {
    EXPECT_THAT(create_error(with_word(words, opcode, 0, 3, undefined)),
                AllOf(HasSubstr("kernel \"broken\": invalid SPIR-V"), HasSubstr(id)));
  }
  EXPECT_THAT(create_error(with_word(words, broken_spirv::kStore, 0, 2, undefined)), HasSubstr(id));
  EXPECT_THAT(create_error(with_word(words, broken_spirv::kBranch, 0, 1, undefined)),
              HasSubstr("invalid SPIR-V"));
  // Beyond the bound.
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kFMul, 0, 3, 0x7FFFFFFF)),
              HasSubstr("invalid SPIR-V"));
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kFMul, 0, 3, 0)), HasSubstr("invalid SPIR-V"));
}

TEST_P(InvalidModuleTest, DuplicateIds) {
  const std::uint32_t taken = word_of(good_, broken_spirv::kLoad, 2);
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kFMul, 0, 2, taken)),
              HasSubstr("Id " + std::to_string(taken) + " is defined more than once"));
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kLabel, 1, 1, taken)), HasSubstr("invalid SPIR-V"));
}

TEST_P(InvalidModuleTest, WrongTypes) {
  const std::uint32_t type = word_of(good_, broken_spirv::kTypeFloat, 1);
  const std::uint32_t constant = word_of(good_, broken_spirv::kConstant, 2);
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kFMul, 0, 3, type)), HasSubstr("invalid SPIR-V"));
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kFMul, 0, 3, constant)), HasSubstr("FMul"));
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kFMul, 0, 1, constant)),
              HasSubstr("invalid SPIR-V"));
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kStore, 0, 2, constant)), HasSubstr("OpStore"));
  EXPECT_THAT(create_error(with_word(good_, broken_spirv::kLoad, 0, 3, constant)), HasSubstr("OpLoad"));
}

TEST_P(InvalidModuleTest, WrongNumbersOfOperands) {
  EXPECT_THAT(
      create_error(with_instruction(good_, broken_spirv::kFMul, 0, [](Words& words) { words.pop_back(); })),
      HasSubstr("OpFMul"));
  EXPECT_THAT(
      create_error(with_instruction(good_, broken_spirv::kFMul, 0, [](Words& words) { words.push_back(1); })),
      HasSubstr("OpFMul"));
  EXPECT_THAT(
      create_error(with_instruction(good_, broken_spirv::kStore, 0, [](Words& words) { words.resize(2); })),
      HasSubstr("OpStore"));
}

// A type that is declared twice breaks a rule and nothing else.
TEST_P(InvalidModuleTest, TrustedModulesAreNotValidated) {
  Words words(good_.begin(), good_.end());
  const std::uint32_t twin = words[3]++;
  words = with_instruction(words, broken_spirv::kTypeFloat, 0, [&](Words& instruction) {
    const Words once = instruction;
    instruction.insert(instruction.end(), once.begin(), once.end());
    instruction[once.size() + 1] = twin;
  });
  // Both instructions have their length again.
  for (std::size_t at = spirv::kHeaderWords; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xFFFF) == broken_spirv::kTypeFloat) words[at] = 3U << 16 | broken_spirv::kTypeFloat;
  }
  EXPECT_THAT(create_error(words), HasSubstr("Duplicate"));
  expect_messages();  // of the validation layer
  const auto kernel = vkc::Kernel::create(device(), words, {}, vkc::KernelGroupSize{8}, {.trusted = true});
  EXPECT_TRUE(kernel) << kernel.error().message;
}

// Valid, but drivers make tables that grow with the largest number.
TEST_P(InvalidModuleTest, BindingNumbersAreLimited) {
  const auto create = [&](std::uint32_t number) {
    const Words words = broken_spirv::with_decoration(good_, spirv::Decoration::Binding, number);
    return vkc::Kernel::create(device(), words, {}, vkc::KernelGroupSize{8}, {.name = "far"});
  };
  const std::uint32_t most = vkc::kMostBindingNumber;
  const auto last = create(most);
  EXPECT_TRUE(last) << last.error().message;
  for (const std::uint32_t number : {most + 1, 100'000'000U, UINT32_MAX}) {
    EXPECT_EQ(error_of(create(number), ErrorCode::limit_exceeded),
              "kernel \"far\": binding \"y\": binding number " + std::to_string(number) +
                  " is beyond the most that vkc takes, " + std::to_string(most));
  }
}

TEST_P(InvalidModuleTest, SetNumbersAreLimited) {
  const Words words = broken_spirv::with_decoration(good_, spirv::Decoration::DescriptorSet, UINT32_MAX);
  EXPECT_THAT(
      error_of(vkc::Kernel::create(device(), words, {}, vkc::KernelGroupSize{8}), ErrorCode::limit_exceeded),
      HasSubstr("max_bound_descriptor_sets"));
}

// The validation layer takes neither control characters nor more than 256 bytes; the driver gets another
// name.
TEST_P(InvalidModuleTest, EntryPointsMayHaveAnyName) {
  for (const std::string& name : {std::string("\x01\n"), std::string("\xFF\xFE"), std::string(),
                                  std::string(300, 'a'), std::string("entry")}) {
    const Words words = with_instruction(good_, broken_spirv::kEntryPoint, 0, [&](Words& instruction) {
      const spirv::Instruction old{instruction, 0};
      const auto begin = instruction.begin() + 3;
      const auto end = begin + static_cast<std::ptrdiff_t>(spirv::Instruction::text_words(old.text(3)));
      Words text(spirv::Instruction::text_words(name));
      std::memcpy(text.data(), name.data(), name.size());
      instruction.insert(instruction.erase(begin, end), text.begin(), text.end());
    });
    const auto kernel = vkc::Kernel::create(device(), words, {}, vkc::KernelGroupSize{8});
    EXPECT_TRUE(kernel) << kernel.error().message;
  }
}

VKC_DEVICE_TESTS(InvalidModuleTest);

}  // namespace
