#include "vkc/image_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using vkc::ImageFormat;
using vkc::detail::format_info;
using vkc::detail::format_of_spirv;
using vkc::detail::FormatInfo;
using vkc::detail::TexelKind;

constexpr int kFormats = static_cast<int>(ImageFormat::rgba32_sfloat) + 1;

// The name says it all: channels, bits and kind.
TEST(ImageFormats, NamesAgreeWithTheTable) {
  for (int i = 0; i < kFormats; ++i) {
    const FormatInfo& info = format_info(static_cast<ImageFormat>(i));
    const std::string name(info.name);
    SCOPED_TRACE(name);
    const std::size_t digits = name.find_first_of("0123456789");
    const std::string type = name.substr(name.find('_') + 1);
    EXPECT_EQ(info.channels, digits);
    EXPECT_EQ(info.texel_bytes * 8,
              info.channels * static_cast<std::uint32_t>(std::stoi(name.substr(digits))));
    EXPECT_EQ(info.kind, type == "uint"   ? TexelKind::unsigned_integer
                         : type == "sint" ? TexelKind::signed_integer
                                          : TexelKind::floating_point);
    EXPECT_EQ(vkc::to_text(info.format), name);
    EXPECT_EQ(vkc::texel_bytes(info.format), info.texel_bytes);
    EXPECT_EQ(vkc::channel_count(info.format), info.channels);
  }
}

TEST(ImageFormats, EachSpirvFormatStandsForOne) {
  std::set<std::uint32_t> spirv_formats;
  std::set<int> vk_formats;
  for (int i = 0; i < kFormats; ++i) {
    const FormatInfo& info = format_info(static_cast<ImageFormat>(i));
    EXPECT_TRUE(spirv_formats.insert(info.spirv_format).second) << info.name;
    EXPECT_TRUE(vk_formats.insert(info.vk_format).second) << info.name;
    EXPECT_EQ(format_of_spirv(info.spirv_format), &info);
  }
}

TEST(ImageFormats, OthersAreUnknown) {
  for (const std::uint32_t format : {0U, 8U, 11U, 34U, 40U, 41U, 1000U})
    EXPECT_EQ(format_of_spirv(format), nullptr);
}

TEST(ImageFormats, NumbersBeyondTheLastAreNoFormat) {
  for (const int number : {kFormats, 200, 255}) {
    const auto format = static_cast<ImageFormat>(number);
    EXPECT_EQ(vkc::to_text(format), "unknown");
    EXPECT_EQ(vkc::texel_bytes(format), 0U);
    EXPECT_EQ(vkc::channel_count(format), 0U);
  }
}

}  // namespace
