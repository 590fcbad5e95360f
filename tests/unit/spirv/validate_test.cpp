// Which modules may go to a driver.
#include "spirv/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "matrix_test_kernels.h"
#include "spirv/passes/freeze_constants.h"
#include "spirv/reflect.h"
#include "spirv/structure.h"
#include "spirv_test_kernels.h"
#include "support/broken_spirv.h"
#include "upres_peak_shaders_kernels.h"
#include "upres_shaders_kernels.h"

namespace {

namespace kernels = spirv_test_kernels;
using broken_spirv::with_instruction;
using broken_spirv::with_word;
using broken_spirv::Words;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// As vkc hands it to the driver, with every constant at its default; empty where that needs values.
Words frozen(std::span<const std::uint32_t> words) {
  auto module = spirv::Module::read(words);
  EXPECT_TRUE(module);
  EXPECT_NE(spirv::freeze_constants(*module, {}).status, spirv::PassStatus::failed);
  return module->words();
}

// Empty if it is valid.
std::string problem(std::span<const std::uint32_t> words, spirv::Version version = {1, 6}) {
  const auto module = spirv::Module::read(words);
  if (!module) return "unreadable: " + module.error().message;
  const auto valid = spirv::validate(*module, version);
  return valid ? std::string() : valid.error().message;
}

bool has_matrices(const vkc::KernelSource& source) {
  const auto reflection = spirv::reflect(*spirv::Module::read(source.spirv));
  const auto& all = reflection->capabilities;
  return std::find(all.begin(), all.end(), spirv::kCapabilityCooperativeMatrixKHR) != all.end();
}

// session/gpu and upscale trust them for this.
TEST(Validate, EveryKernelOfTheBuildIsValid) {
  std::size_t slowest_us = 0;
  for (const vkc::KernelSource* source : upres_shaders_kernels::all()) {
    const Words words = frozen(source->spirv);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(problem(words, has_matrices(*source) ? spirv::Version{1, 6} : spirv::Version{1, 3}), "")
        << source->name;
    const auto time = std::chrono::steady_clock::now() - begin;
    slowest_us = std::max(slowest_us, static_cast<std::size_t>(time / std::chrono::microseconds(1)));
  }
  for (const vkc::KernelSource* source : upres_peak_shaders_kernels::all()) {
    EXPECT_EQ(
        problem(frozen(source->spirv), has_matrices(*source) ? spirv::Version{1, 6} : spirv::Version{1, 3}),
        "")
        << source->name;
  }
  RecordProperty("slowest_us", static_cast<int>(slowest_us));
  for (const vkc::KernelSource* source : kernels::all())
    EXPECT_EQ(problem(frozen(source->spirv)), "") << source->name;
}

TEST(Validate, FaultsInsideFunctionsAreErrors) {
  const Words good = frozen(kernels::saxpy.spirv);
  const std::uint32_t bound = good[3];
  EXPECT_THAT(problem(with_word(good, broken_spirv::kStore, 0, 2, bound - 1)), HasSubstr("invalid SPIR-V"));
  EXPECT_THAT(problem(with_word(good, broken_spirv::kStore, 0, 2, bound + 7)),
              HasSubstr("ID '" + std::to_string(bound + 7)));
  // Twice the same id.
  const std::uint32_t load = broken_spirv::word_of(good, broken_spirv::kLoad, 2);
  EXPECT_THAT(problem(with_word(good, broken_spirv::kFMul, 0, 2, load)), HasSubstr("invalid SPIR-V"));
  // A type as a value, and a value as a type.
  const std::uint32_t type = broken_spirv::word_of(good, broken_spirv::kTypeFloat, 1);
  EXPECT_THAT(problem(with_word(good, broken_spirv::kFMul, 0, 3, type)), HasSubstr("invalid SPIR-V"));
  EXPECT_THAT(problem(with_word(good, broken_spirv::kLoad, 0, 1, load)), HasSubstr("invalid SPIR-V"));
  // An operand too few and too many.
  EXPECT_THAT(problem(with_instruction(good, broken_spirv::kFMul, 0, [](Words& words) { words.pop_back(); })),
              AllOf(HasSubstr("OpFMul"), HasSubstr("End of input reached")));
  EXPECT_THAT(
      problem(with_instruction(good, broken_spirv::kFMul, 0, [](Words& words) { words.push_back(1); })),
      HasSubstr("OpFMul"));
  // A jump to nowhere.
  EXPECT_THAT(problem(with_word(good, broken_spirv::kBranch, 0, 1, type)), HasSubstr("invalid SPIR-V"));
  // For another Vulkan.
  Words newer = good;
  newer[1] = 0x00010600;
  EXPECT_THAT(problem(newer, {1, 3}), HasSubstr("invalid SPIR-V"));
}

TEST(Validate, MessagesAreOneLine) {
  const Words good = frozen(kernels::saxpy.spirv);
  const std::string text = problem(with_word(good, broken_spirv::kStore, 0, 2, good[3] + 7));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  EXPECT_LT(text.size(), 500U);
}

std::size_t first_function(const Words& words) {
  std::size_t at = spirv::kHeaderWords;
  while ((words[at] & 0xFFFF) != 54) at += words[at] >> 16;
  return at;
}

void insert(Words& words, std::size_t at, const Words& instructions) {
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), instructions.begin(), instructions.end());
}

class Complexity : public testing::Test {
 protected:
  std::uint32_t new_id() { return words_[3]++; }
  // Before the functions.
  void declare(const Words& instructions) { insert(words_, first_function(words_), instructions); }
  std::uint32_t array_of(std::uint32_t element, std::uint32_t length) {
    const std::uint32_t constant = new_id(), array = new_id();
    declare({4U << 16 | 43, uint_, constant, length, 4U << 16 | 28, array, element, constant});
    return array;
  }

  Words words_ = frozen(kernels::saxpy.spirv);
  std::uint32_t float_ = broken_spirv::word_of(words_, broken_spirv::kTypeFloat, 1);
  std::uint32_t uint_ = [&] {
    for (std::size_t at = spirv::kHeaderWords;; at += words_[at] >> 16) {
      if (words_[at] == (4U << 16 | 21) && words_[at + 3] == 0) return words_[at + 1];
    }
  }();
};

// A structure of two of the structure before, and so on: 2^n parts out of n instructions.
TEST_F(Complexity, NestedTypes) {
  std::uint32_t last = float_;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t next = new_id();
    declare({4U << 16 | 30, next, last, last});
    last = next;
  }
  EXPECT_THAT(problem(words_), HasSubstr("has more than 1048576 parts"));
}

TEST_F(Complexity, SparseIds) {
  words_[3] = 4000000;
  EXPECT_THAT(problem(words_), HasSubstr("out of proportion"));
}

TEST_F(Complexity, LargeVariablesAndValues) {
  const std::uint32_t array = array_of(array_of(float_, 1024), 256), larger = array_of(array, 2);
  const auto private_variable = [&](std::uint32_t type) {
    const std::uint32_t pointer = new_id(), variable = new_id();
    declare({4U << 16 | 32, pointer, 6, type, 4U << 16 | 59, pointer, variable, 6});
  };
  Words kept = words_;
  private_variable(array);
  EXPECT_EQ(problem(words_), "");  // the most that there may be
  private_variable(float_);
  EXPECT_THAT(problem(words_), HasSubstr("variables of functions have more than 262144 scalars"));
  words_ = kept;
  private_variable(larger);
  EXPECT_THAT(problem(words_), HasSubstr("variables of functions have more than 262144 scalars"));
  // A constant of zeros.
  words_ = kept;
  const std::uint32_t huge = array_of(array, 0x7FFFFFFF);
  EXPECT_EQ(problem(words_), "");  // nothing is of that type
  declare({3U << 16 | 46, huge, new_id()});
  EXPECT_THAT(problem(words_), HasSubstr("values of arrays and structures have more than 1048576 scalars"));
}

// Each function calls the one before twice: 2^n calls out of n functions.
TEST_F(Complexity, CallsInsideCalls) {
  const std::uint32_t none = broken_spirv::word_of(words_, 19, 1),
                      type = broken_spirv::word_of(words_, 33, 1);
  const auto add = [&](std::uint32_t function, std::uint32_t first, std::uint32_t second) {
    insert(words_, words_.size(),
           {5U << 16 | 54, none, function, 0, type, 2U << 16 | 248, new_id(), 4U << 16 | 57, none, new_id(),
            first, 4U << 16 | 57, none, new_id(), second, 1U << 16 | 253, 1U << 16 | 56});
  };
  Words kept = words_;
  std::uint32_t last = new_id();
  insert(words_, words_.size(),
         {5U << 16 | 54, none, last, 0, type, 2U << 16 | 248, new_id(), 1U << 16 | 253, 1U << 16 | 56});
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t next = new_id();
    add(next, last, last);
    last = next;
    if (i != 5) continue;
    EXPECT_EQ(problem(words_), "");
  }
  EXPECT_THAT(problem(words_), HasSubstr("has, with what it calls, more than 1048576 instructions"));
  words_ = kept;
  const std::uint32_t one = new_id(), two = new_id();
  add(one, two, two);
  add(two, one, one);
  EXPECT_THAT(problem(words_), HasSubstr("calls itself"));
}

// Where the validator does not know cooperative matrices, and beside it where it does.
TEST(Structure, IdsOfMatrixKernels) {
  const auto structure = [](const Words& words) {
    const auto module = spirv::Module::read(words);
    if (!module) return "unreadable: " + module.error().message;
    const auto ok = spirv::check_structure(*module);
    return ok ? std::string() : ok.error().message;
  };
  constexpr std::uint32_t kMatrixLoad = 4457, kMatrixStore = 4458, kMulAdd = 4459, kLength = 4460;
  const Words good = frozen(matrix_test_kernels::matrix.spirv);
  EXPECT_EQ(structure(good), "");
  const std::uint32_t bound = good[3], load = broken_spirv::word_of(good, broken_spirv::kLoad, 2);
  const std::uint32_t type = broken_spirv::word_of(good, broken_spirv::kTypeFloat, 1);
  const std::uint32_t constant = broken_spirv::word_of(good, broken_spirv::kConstant, 2);
  for (const std::uint32_t opcode : {broken_spirv::kLoad, broken_spirv::kFMul, kMatrixLoad, kMulAdd}) {
    SCOPED_TRACE(opcode);
    EXPECT_THAT(structure(with_word(good, opcode, 0, 3, bound)), HasSubstr("is not below the bound"));
    EXPECT_THAT(structure(with_word(good, opcode, 0, 3, type)),
                HasSubstr("is a type and is used as a value"));
    EXPECT_THAT(structure(with_word(good, opcode, 0, 1, constant)),
                HasSubstr("is used as a type and is none"));
    EXPECT_THAT(structure(with_instruction(good, opcode, 0, [](Words& words) { words.resize(3); })),
                HasSubstr("SPIR-V"));
  }
  EXPECT_THAT(structure(with_word(good, kMulAdd, 0, 2, load)), HasSubstr("is defined more than once"));
  EXPECT_THAT(structure(with_word(good, kLength, 0, 3, bound)), HasSubstr("is not below the bound"));
  for (std::size_t word = 1; word <= 4; ++word) {
    EXPECT_THAT(structure(with_word(good, kMatrixStore, 0, word, bound)),
                HasSubstr("is not below the bound"));
  }
  const std::uint32_t unused = bound;
  Words more = with_word(good, kMatrixStore, 0, 2, unused);
  ++more[3];
  EXPECT_THAT(structure(more), HasSubstr("is not defined"));
  // The last value of the module, in its first instruction, and in one of another function.
  const std::uint32_t value = broken_spirv::word_of(good, kMulAdd, 2);
  EXPECT_THAT(structure(with_word(good, kMatrixLoad, 0, 3, value)), HasSubstr("is used"));
  EXPECT_THAT(structure(with_instruction(good, broken_spirv::kTypeFloat, 0,
                                         [](Words& words) { words.push_back(1), words.push_back(1); })),
              HasSubstr("TypeFloat"));

  // validate() does not let them through unchecked.
  EXPECT_EQ(problem(good), "");
  EXPECT_THAT(problem(with_word(good, kMulAdd, 0, 3, bound)), HasSubstr("invalid SPIR-V"));
  // Nor what only claims to have some: any other capability that is unknown.
  EXPECT_THAT(problem(with_word(good, 17, 0, 1, 60000)), HasSubstr("Invalid capability operand"));
}

}  // namespace
