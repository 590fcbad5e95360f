// Damaged modules: whatever comes, reading, reflection and freezing end without a fault. The sanitizers
// judge.
#include <gtest/gtest.h>

#include <random>

#include "spirv/passes/freeze_constants.h"
#include "spirv/passes/narrow_capabilities.h"
#include "spirv/reflect.h"
#include "spirv_test_kernels.h"

namespace {

// How far a module got: 0 not read, 1 read, 2 reflected, 3 frozen too.
int use(std::span<const std::uint32_t> words) {
  auto module = spirv::Module::read(words);
  if (!module) {
    EXPECT_FALSE(module.error().message.empty());
    return 0;
  }
  const auto reflection = spirv::reflect(*module);
  EXPECT_TRUE(reflection || !reflection.error().message.empty());
  for (const spirv::SampledPair& pair :
       reflection ? reflection->sampled_pairs : std::vector<spirv::SampledPair>()) {
    EXPECT_EQ(reflection->resources.at(pair.image).kind, spirv::ResourceKind::sampled_image);
    EXPECT_EQ(reflection->resources.at(pair.sampler).kind, spirv::ResourceKind::sampler);
  }
  const std::vector<spirv::SpecValue> values = {{0, 5}};
  const spirv::PassOutcome outcome = spirv::freeze_constants(*module, values);
  EXPECT_EQ(outcome.message.empty(), outcome.status != spirv::PassStatus::failed);
  EXPECT_NE(spirv::narrow_capabilities(*module).status, spirv::PassStatus::failed);
  if (!reflection) return 1;
  return outcome.status == spirv::PassStatus::failed ? 2 : 3;
}

TEST(Hostile, EveryTruncationOfEveryKernel) {
  for (const vkc::KernelSource* source : spirv_test_kernels::all()) {
    int whole = 0;
    for (std::size_t length = 0; length < source->spirv.size(); ++length) {
      const int reached = use(source->spirv.first(length));
      ASSERT_LE(reached, 1) << "no kernel may come of a part: " << length;
      whole += reached;
    }
    EXPECT_GT(whole, 0) << source->name;  // cuts between instructions leave a readable module
  }
}

TEST(Hostile, FlippedBits) {
  std::mt19937 random(20240607);
  int counts[4] = {};
  for (const vkc::KernelSource* source : spirv_test_kernels::all()) {
    for (int round = 0; round < 4000; ++round) {
      std::vector<std::uint32_t> words(source->spirv.begin(), source->spirv.end());
      for (int flips = 1 + round % 4; flips > 0; --flips) {
        words[random() % words.size()] ^= 1U << (random() % 32);
      }
      ++counts[use(words)];
    }
  }
  for (const int count : counts) EXPECT_GT(count, 0);
}

TEST(Hostile, SwappedWords) {
  std::mt19937 random(7);
  for (const vkc::KernelSource* source : spirv_test_kernels::all()) {
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::uint32_t> words(source->spirv.begin(), source->spirv.end());
      for (int swaps = 0; swaps < 3; ++swaps) {
        const std::size_t from = 5 + random() % (words.size() - 5);
        words[5 + random() % (words.size() - 5)] = words[from];
      }
      use(words);
    }
  }
}

TEST(Hostile, RandomWordsBehindAHeader) {
  std::mt19937 engine(11);
  const auto random = [&](std::uint32_t below) { return static_cast<std::uint32_t>(engine() % below); };
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint32_t> words = {spirv::kMagic, 0x00010300, 0, 100, 0};
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t length = 1 + random(6);
      words.push_back(length << 16 | random(80));
      for (std::uint32_t operand = 1; operand < length; ++operand) words.push_back(random(40));
    }
    use(words);
  }
}

}  // namespace
