#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vkc/vkc.h>

#include <cstddef>

namespace {

using testing::ElementsAre;

struct Push {
  std::uint32_t count;
  float scale;
  std::uint32_t offset[2];
};

const std::vector<vkc::DeclaredPushConstant> kDeclared = {{"count", 0, 4, vkc::ScalarType::uint32},
                                                          {"scale", 4, 4, vkc::ScalarType::float32},
                                                          {"offset", 8, 8, vkc::ScalarType::uint32}};

vkc::KernelSource source() {
  vkc::KernelSource result;
  result.name = "k";
  result.push_constants = kDeclared;
  return result;
}

const vkc::PushMember kCount = {"count", offsetof(Push, count), sizeof(Push::count)};
const vkc::PushMember kScale = {"scale", offsetof(Push, scale), sizeof(Push::scale)};
const vkc::PushMember kOffset = {"offset", offsetof(Push, offset), sizeof(Push::offset)};

TEST(CheckPushConstants, AMatchingStructPasses) {
  const auto status = vkc::check_push_constants(source(), {kOffset, kCount, kScale});
  EXPECT_TRUE(status) << status.error().text();
}

TEST(CheckPushConstants, EveryDifferenceIsAReason) {
  const auto status = vkc::check_push_constants(source(), {kCount, {"scale", 8, 4}, {"ofset", 8, 8}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, vkc::ErrorCode::invalid_argument);
  EXPECT_THAT(status.error().reasons,
              ElementsAre("member \"scale\" has 4 bytes at offset 8, in the kernel 4 at 4",
                          "member \"ofset\" is not in the kernel's block",
                          "member \"offset\" is missing in the host's struct"));
}

TEST(PushConstants, AreTheBytesOfAStruct) {
  const Push push = {1, 2, {3, 4}};
  EXPECT_EQ(vkc::PushConstants(push).bytes().size(), sizeof(Push));
  EXPECT_EQ(static_cast<const void*>(vkc::PushConstants(push).bytes().data()), &push);
  const std::vector<std::byte> bytes(12);
  EXPECT_EQ(vkc::PushConstants(bytes).bytes().data(), bytes.data());
  EXPECT_TRUE(vkc::PushConstants().bytes().empty());
}

}  // namespace
