// ICC, EXIF, XMP and resolution from file to file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "image/exif.h"
#include "image/picture.h"
#include "image/write.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Format kFormats[] = {Format::jpeg, Format::png, Format::webp, Format::tiff};

Metadata full(std::string_view space) {
  return {make_icc(space, 1000), make_exif(1, true), bytes_of("<x:xmpmeta>\xc3\xb1</x:xmpmeta>"), 300 / 25.4,
          200 / 25.4};
}

class Metadatas : public testing::TestWithParam<Format> {};

TEST_P(Metadatas, SurviveByteForByte) {
  for (const int channels : {1, 3}) {
    const bool is_rgb = channels == 3 || GetParam() == Format::webp;
    const Metadata metadata = full(is_rgb ? "RGB " : "GRAY");
    const Image image = ramp({40, 30, channels, DType::u8});
    LogLines lines;
    const auto file = encode(image.view(), metadata, GetParam(), {}, lines.log).value();
    const auto picture = read(file, "a", lines.log);
    ASSERT_TRUE(picture) << picture.error().message;
    const Metadata& found = picture->image.metadata;
    EXPECT_EQ(found.icc, metadata.icc);
    EXPECT_EQ(found.xmp, metadata.xmp);
    Bytes exif = metadata.exif;
    set_exif_size(exif, 40, 30);
    if (GetParam() == Format::tiff) {
      EXPECT_THAT(found.exif, IsEmpty());
      EXPECT_THAT(lines.warnings, ElementsAre("EXIF cannot be kept in TIFF: left out"));
    } else {
      EXPECT_EQ(found.exif, exif);
      EXPECT_THAT(lines.warnings, IsEmpty());
    }
    if (GetParam() == Format::webp) continue;  // holds no resolution
    EXPECT_NEAR(found.x_pixels_per_mm.value(), 300 / 25.4, 0.01);
    EXPECT_NEAR(found.y_pixels_per_mm.value(), 200 / 25.4, 0.01);
  }
}

TEST_P(Metadatas, EachAlone) {
  const Image image = ramp({9, 7, 3, DType::u8});
  const Metadata all = full("RGB ");
  for (const Metadata& one : {Metadata{all.icc, {}, {}, {}, {}}, Metadata{{}, all.exif, {}, {}, {}},
                              Metadata{{}, {}, all.xmp, {}, {}}}) {
    if (GetParam() == Format::tiff && !one.exif.empty()) continue;
    const auto picture = read(encode(image.view(), one, GetParam()).value(), "a");
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->image.metadata.icc, one.icc);
    EXPECT_EQ(picture->image.metadata.exif.size(), one.exif.size());
    EXPECT_EQ(picture->image.metadata.xmp, one.xmp);
  }
}

TEST_P(Metadatas, NoneMakesNone) {
  for (const int channels : {1, 3}) {
    const Image image = ramp({9, 7, channels, DType::u8});
    const Picture picture = read(encode(image.view(), {}, GetParam()).value(), "a").value();
    EXPECT_THAT(picture.image.metadata.icc, IsEmpty());
    EXPECT_THAT(picture.image.metadata.exif, IsEmpty());
    EXPECT_THAT(picture.image.metadata.xmp, IsEmpty());
    if (GetParam() != Format::tiff) {  // which must tell one
      EXPECT_FALSE(picture.image.metadata.x_pixels_per_mm);
    }
  }
}

TEST_P(Metadatas, LargeProfile) {
  const Image image = ramp({9, 7, 3, DType::u8});
  const Metadata metadata = {make_icc("RGB ", 300000), {}, {}, {}, {}};
  const auto picture = read(encode(image.view(), metadata, GetParam()).value(), "a");
  ASSERT_TRUE(picture) << picture.error().message;
  EXPECT_EQ(picture->image.metadata.icc, metadata.icc);
}

TEST_P(Metadatas, WrongProfileIsLeftOutAndTold) {
  const Image image = ramp({9, 7, 3, DType::u8});
  LogLines lines;
  const Metadata metadata = {make_icc("GRAY", 10), {}, {}, {}, {}};
  const Picture picture =
      read(encode(image.view(), metadata, GetParam(), {}, lines.log).value(), "a").value();
  EXPECT_THAT(picture.image.metadata.icc, IsEmpty());
  EXPECT_THAT(lines.warnings, ElementsAre("the colour profile is not for RGB pictures: left out"));
}

INSTANTIATE_TEST_SUITE_P(All, Metadatas, testing::ValuesIn(kFormats),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST(Metadata, StaysBesideAlpha) {
  const Image image = noise({9, 7, 4, DType::u8}, 3);
  const Metadata metadata = full("RGB ");
  for (const Format format : {Format::png, Format::webp, Format::tiff}) {
    const Picture picture = read(encode(image.view(), metadata, format).value(), "a").value();
    EXPECT_EQ(picture.image.shape, image.shape);
    EXPECT_EQ(picture.image.metadata.icc, metadata.icc);
    EXPECT_EQ(picture.image.metadata.xmp, metadata.xmp);
  }
}

TEST(Metadata, TooLargeForJpegIsTold) {
  const Image image = ramp({9, 7, 3, DType::u8});
  Metadata metadata = full("RGB ");
  metadata.exif.resize(70000);
  metadata.xmp.resize(70000, std::byte{' '});
  LogLines lines;
  const Picture picture =
      read(encode(image.view(), metadata, Format::jpeg, {}, lines.log).value(), "a").value();
  EXPECT_THAT(picture.image.metadata.exif, IsEmpty());
  EXPECT_THAT(picture.image.metadata.xmp, IsEmpty());
  EXPECT_EQ(picture.image.metadata.icc, metadata.icc);
  EXPECT_THAT(lines.warnings, ElementsAre(HasSubstr("EXIF of 70000 bytes"), HasSubstr("XMP of 70000 bytes")));
}

TEST(Metadata, ResolutionInAnyUnit) {
  const Image image = ramp({9, 7, 3, DType::u8});
  for (const double dots_per_mm : {72 / 25.4, 300 / 25.4, 11.8, 100.0}) {
    for (const Format format : {Format::jpeg, Format::png, Format::tiff}) {
      const Metadata metadata = {{}, {}, {}, dots_per_mm, dots_per_mm};
      const Picture picture = read(encode(image.view(), metadata, format).value(), "a").value();
      EXPECT_NEAR(picture.image.metadata.x_pixels_per_mm.value(), dots_per_mm, 0.001) << name(format);
    }
  }
}

// A real photograph: everything the camera's owner would miss.
TEST(Metadata, OfARealFileGoThroughEveryFormat) {
  const char* folder = std::getenv("UPRES_TEST_DATA");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "UPRES_TEST_DATA is not set";
  const Picture cat = read(std::filesystem::path(folder) / "images/odd/cat.jpg").value();
  EXPECT_FALSE(cat.image.metadata.icc.empty());
  EXPECT_FALSE(cat.image.metadata.exif.empty());
  EXPECT_EQ(exif_orientation(cat.image.metadata.exif), 1);
  for (const Format format : {Format::jpeg, Format::png, Format::webp}) {
    const Picture copy = read(encode(cat.image.view(), cat.image.metadata, format).value(), "a").value();
    EXPECT_EQ(copy.image.metadata.icc, cat.image.metadata.icc) << name(format);
    EXPECT_EQ(copy.image.metadata.exif.size(), cat.image.metadata.exif.size()) << name(format);
  }
}

}  // namespace
}  // namespace upres::image::test
