#include "vkc/kernel_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace {

using spirv::ScalarType;
using testing::HasSubstr;
using vkc::Constant;
using vkc::ErrorCode;
using Kind = ScalarType::Kind;
using Values = std::map<std::uint32_t, std::uint64_t>;

const std::vector<spirv::SpecConstant> kModule = {
    {"flag", 0, {Kind::boolean, 0}, 0},
    {"number", 1, {Kind::signed_integer, 32}, 0},
    {"count", 2, {Kind::unsigned_integer, 32}, 0},
    {"scale", 3, {Kind::floating_point, 32}, 0},
};
const std::vector<vkc::DeclaredConstant> kDeclared = {{"flag", 0, vkc::ScalarType::boolean},
                                                      {"dropped", 9, vkc::ScalarType::int32}};

vkc::Result<Values> resolve(std::span<const spirv::SpecConstant> in_module, std::vector<Constant> given,
                            std::optional<vkc::KernelGroupSize> group_size = {}) {
  const auto values = vkc::detail::resolve_constants("k", in_module, kDeclared, given, group_size);
  if (!values) return tl::unexpected(values.error());
  Values result;
  for (const spirv::SpecValue& value : *values) result[value.spec_id] = value.bits;
  EXPECT_EQ(result.size(), values->size());
  return result;
}

std::string error_of(std::vector<Constant> given, std::optional<vkc::KernelGroupSize> group_size = {}) {
  const auto values = resolve(kModule, std::move(given), group_size);
  if (values) return "";
  EXPECT_EQ(values.error().code, ErrorCode::invalid_argument);
  return values.error().message;
}

TEST(Constants, AreFoundByName) {
  const auto values = resolve(kModule, {{"scale", 1.5F}, {"count", 7U}, {"flag", true}, {"number", -2}});
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(*values, (Values{{0, 1}, {1, static_cast<std::uint64_t>(-2)}, {2, 7}, {3, 0x3FC00000}}));
}

TEST(Constants, WholeNumbersFitEitherSign) {
  const auto values = resolve(kModule, {{"scale", 2.0}, {"count", 7}, {"flag", false}, {"number", 8U}});
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(*values, (Values{{0, 0}, {1, 8}, {2, 7}, {3, 0x40000000}}));
}

TEST(Constants, UnknownNamesAreErrorsThatListTheNames) {
  EXPECT_EQ(error_of({{"sclae", 1.0F}}),
            "kernel \"k\": there is no constant \"sclae\"; there are: \"flag\", \"number\", \"count\", "
            "\"scale\", \"dropped\"");
}

TEST(Constants, DroppedNamesAreIgnored) {
  const auto values =
      resolve(kModule, {{"dropped", 3}, {"scale", 1.5F}, {"count", 7U}, {"flag", true}, {"number", 1}});
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->size(), 4U);
}

TEST(Constants, MissingNamesAreListed) {
  EXPECT_EQ(error_of({{"flag", true}, {"count", 1}}),
            "kernel \"k\": no value is given for \"number\", \"scale\"");
}

TEST(Constants, DoubledNamesAreErrors) {
  EXPECT_THAT(error_of({{"flag", true}, {"flag", true}}), HasSubstr("\"flag\" is given twice"));
  EXPECT_THAT(error_of({{"group_size_x", 1}}, vkc::KernelGroupSize{1, 1, 1}), HasSubstr("group_size_x"));
}

TEST(Constants, ValuesMustFitTheType) {
  EXPECT_THAT(error_of({{"flag", 1}}), HasSubstr("the value 1 does not fit constant \"flag\" of type bool"));
  EXPECT_THAT(error_of({{"number", true}}),
              HasSubstr("the value true does not fit constant \"number\" of type int32"));
  EXPECT_THAT(error_of({{"number", 1.0F}}), HasSubstr("does not fit"));
  EXPECT_THAT(error_of({{"scale", 1}}), HasSubstr("does not fit constant \"scale\" of type float32"));
  EXPECT_THAT(error_of({{"count", -1}}),
              HasSubstr("the value -1 does not fit constant \"count\" of type uint32"));
  EXPECT_THAT(error_of({{"count", std::int64_t{1} << 32}}), HasSubstr("does not fit"));
  EXPECT_THAT(error_of({{"number", std::uint32_t{1} << 31}}), HasSubstr("does not fit"));
  EXPECT_THAT(error_of({{"number", std::int64_t{-1} << 32}}), HasSubstr("does not fit"));
}

TEST(Constants, ExtremesFit) {
  const std::vector<spirv::SpecConstant> wide = {{"small", 0, {Kind::signed_integer, 8}, 0},
                                                 {"large", 1, {Kind::unsigned_integer, 64}, 0},
                                                 {"negative", 2, {Kind::signed_integer, 64}, 0},
                                                 {"half", 3, {Kind::floating_point, 16}, 0}};
  const auto values = resolve(wide, {{"small", -128},
                                     {"large", std::numeric_limits<std::uint64_t>::max()},
                                     {"negative", std::numeric_limits<std::int64_t>::min()},
                                     {"half", 0.5}});
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->at(1), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(values->at(2), std::uint64_t{1} << 63);
  EXPECT_EQ(values->at(3), 0x3800U);
  EXPECT_FALSE(resolve(std::span(wide).first(1), {{"small", -129}}));
  EXPECT_FALSE(resolve(std::span(wide).first(1), {{"small", 128}}));
}

TEST(Constants, TheGroupSizeIsThreeOfThem) {
  const std::vector<spirv::SpecConstant> sizes = {{"group_size_x", 5, {Kind::signed_integer, 32}, 0},
                                                  {"group_size_z", 7, {Kind::unsigned_integer, 32}, 0}};
  const auto values = resolve(sizes, {}, vkc::KernelGroupSize{16, 1, 4});
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(*values, (Values{{5, 16}, {7, 4}}));
  const auto none = resolve(sizes, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no value is given for \"group_size_x\", \"group_size_z\""));
}

TEST(Constants, AGroupSizeIsPositive) {
  const std::vector<spirv::SpecConstant> sizes = {{"group_size_x", 5, {Kind::signed_integer, 32}, 0}};
  for (const auto& values :
       {resolve(sizes, {}, vkc::KernelGroupSize{0, 1, 1}), resolve(sizes, {{"group_size_x", 0U}})}) {
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(values.error().message,
              "kernel \"k\": \"group_size_x\" is 0; a group has at least 1 invocation in each direction");
  }
}

TEST(Constants, ModulesWithoutUsableNamesAreRefused) {
  const std::vector<spirv::SpecConstant> nameless = {{"", 3, {Kind::boolean, 0}, 0}};
  const auto stripped = resolve(nameless, {});
  ASSERT_FALSE(stripped);
  EXPECT_EQ(stripped.error().code, ErrorCode::invalid_module);
  EXPECT_THAT(stripped.error().message, HasSubstr("specialization constant 3 has no name"));
  const std::vector<spirv::SpecConstant> twins = {{"a", 3, {Kind::boolean, 0}, 0},
                                                  {"a", 4, {Kind::boolean, 0}, 0}};
  const auto ambiguous = resolve(twins, {{"a", true}});
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error().code, ErrorCode::invalid_module);
}

TEST(DeclaredNames, AreUnique) {
  const std::vector<vkc::DeclaredBinding> bindings = {{"a", 0, 0}, {"a", 0, 1}};
  vkc::KernelSource source;
  source.name = "k";
  source.bindings = bindings;
  const auto status = vkc::detail::check_declared_names(source);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("two bindings called \"a\""));
}

}  // namespace
