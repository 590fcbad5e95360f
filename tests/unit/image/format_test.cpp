#include "image/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upres::image::test {
namespace {

using testing::HasSubstr;

TEST(Format, FromNames) {
  EXPECT_EQ(format_from_name("a.jpg"), Format::jpeg);
  EXPECT_EQ(format_from_name("x/a.b.JPEG"), Format::jpeg);
  EXPECT_EQ(format_from_name("a.jpe"), Format::jpeg);
  EXPECT_EQ(format_from_name("a.Png"), Format::png);
  EXPECT_EQ(format_from_name("a.webp"), Format::webp);
  EXPECT_EQ(format_from_name("a.tif"), Format::tiff);
  EXPECT_EQ(format_from_name("a.TIFF"), Format::tiff);
  EXPECT_EQ(format_from_name("png"), std::nullopt);
  EXPECT_EQ(format_from_name("folder.png/a"), std::nullopt);
  EXPECT_EQ(format_from_name("a."), std::nullopt);
  EXPECT_EQ(format_from_name("a.gif"), std::nullopt);
  EXPECT_EQ(format_from_name("a.png "), std::nullopt);
  EXPECT_EQ(format_from_name(".png"), std::nullopt);
}

TEST(Format, FromText) {
  EXPECT_EQ(format_from_text("JPG"), Format::jpeg);
  EXPECT_EQ(format_from_text("tiff"), Format::tiff);
  EXPECT_EQ(format_from_text(".png"), std::nullopt);
  EXPECT_EQ(format_from_text(""), std::nullopt);
}

TEST(Format, ExtensionNamesTheFormat) {
  for (const Format format : {Format::jpeg, Format::png, Format::webp, Format::tiff}) {
    EXPECT_EQ(format_from_name(std::string("a").append(extension(format))), format);
  }
}

TEST(Format, SamplesOfFiles) {
  for (const Format format : {Format::jpeg, Format::png, Format::webp, Format::tiff}) {
    EXPECT_EQ(file_dtype(format, DType::u8), DType::u8);
    const bool keeps = format == Format::png || format == Format::tiff;
    EXPECT_EQ(file_dtype(format, DType::u16), keeps ? DType::u16 : DType::u8);
  }
}

TEST(CanWrite, KnowsTheLimits) {
  const auto side = [](int width, int height) { return ImageShape{width, height, 3, DType::u8}; };
  EXPECT_TRUE(can_write(side(65500, 1), Format::jpeg));
  EXPECT_FALSE(can_write(side(65501, 1), Format::jpeg));
  EXPECT_FALSE(can_write(side(1, 65501), Format::jpeg));
  EXPECT_TRUE(can_write(side(16383, 16383), Format::webp));
  EXPECT_FALSE(can_write(side(16384, 1), Format::webp));
  EXPECT_TRUE(can_write(side(65536, 65536), Format::png));
  EXPECT_TRUE(can_write(side(65536, 65536), Format::tiff));
  EXPECT_FALSE(can_write(side(10000001, 1), Format::png));
  EXPECT_FALSE(can_write(side(0, 1), Format::png));
  const Status too_large = can_write(side(16384, 7), Format::webp);
  EXPECT_THAT(too_large.error().message, HasSubstr("16384x7 is too large for WebP (at most 16383"));
}

TEST(CanWrite, KnowsAlphaAndTypes) {
  for (const int channels : {2, 4}) {
    const ImageShape shape = {5, 5, channels, DType::u8};
    const Status refused = can_write(shape, Format::jpeg);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "JPEG has no alpha channel; write PNG, WebP or TIFF");
    for (const Format format : {Format::png, Format::webp, Format::tiff})
      EXPECT_TRUE(can_write(shape, format));
  }
  EXPECT_TRUE(can_write({5, 5, 1, DType::u16}, Format::jpeg));
  EXPECT_FALSE(can_write({5, 5, 1, DType::f32}, Format::tiff));
  EXPECT_FALSE(can_write({5, 5, 5, DType::u8}, Format::tiff));
}

}  // namespace
}  // namespace upres::image::test
