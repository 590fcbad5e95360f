#include "image/exif.h"

#include <gtest/gtest.h>

#include <random>

#include "image/byte_reader.h"
#include "image/xmp.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using Blob = std::vector<std::byte>;

uint32_t u32(const Blob& exif, size_t at, bool is_big) {
  const auto bytes = as_u8(exif).subspan(at);
  return is_big ? big32(bytes) : little32(bytes);
}
uint32_t u16(const Blob& exif, size_t at, bool is_big) {
  const auto bytes = as_u8(exif).subspan(at);
  return is_big ? big16(bytes) : little16(bytes);
}

// Offsets in make_exif().
constexpr size_t kOrientationValue = 8 + 2 + 12 + 8;
constexpr size_t kIfd1Link = 8 + 2 + 3 * 12;
constexpr size_t kExifIfd = kIfd1Link + 4;

class Exif : public testing::TestWithParam<bool> {};

TEST_P(Exif, OrientationIsReadAndReset) {
  for (int orientation = 0; orientation <= 9; ++orientation) {
    Blob exif = make_exif(orientation, GetParam());
    const Blob before = exif;
    EXPECT_EQ(exif_orientation(exif), orientation >= 1 && orientation <= 8 ? orientation : 1);
    reset_exif_orientation(exif);
    EXPECT_EQ(exif_orientation(exif), 1);
    EXPECT_EQ(u16(exif, kOrientationValue, GetParam()), 1U);
    Blob restored = exif;
    std::copy_n(before.begin() + kOrientationValue, 2, restored.begin() + kOrientationValue);
    EXPECT_EQ(restored, before) << "nothing else may change";
  }
}

TEST_P(Exif, ThumbnailIsUnlinked) {
  Blob exif = make_exif(6, GetParam());
  ASSERT_NE(u32(exif, kIfd1Link, GetParam()), 0U);
  unlink_exif_thumbnail(exif);
  EXPECT_EQ(u32(exif, kIfd1Link, GetParam()), 0U);
}

TEST_P(Exif, SizeIsSetWhereItFits) {
  Blob exif = make_exif(1, GetParam());
  set_exif_size(exif, 123456, 4321);
  EXPECT_EQ(u32(exif, kExifIfd + 2 + 8, GetParam()), 123456U);
  EXPECT_EQ(u16(exif, kExifIfd + 2 + 12 + 8, GetParam()), 4321U);
  set_exif_size(exif, 7, 65536);
  EXPECT_EQ(u32(exif, kExifIfd + 2 + 8, GetParam()), 7U);
  EXPECT_EQ(u16(exif, kExifIfd + 2 + 12 + 8, GetParam()), 4321U) << "a SHORT cannot hold 65536";
}

// Whatever the bytes, nothing outside the block is touched (the sanitizers watch).
TEST_P(Exif, HostileBlocksAreSafe) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    Blob exif = make_exif(6, GetParam());
    for (int flips = 0; flips < 4; ++flips)
      exif[4 + random() % (exif.size() - 4)] = static_cast<std::byte>(random() & 0xffU);
    exif.resize(random() % (exif.size() + 1));
    exif.shrink_to_fit();
    const int orientation = exif_orientation(exif);
    EXPECT_TRUE(orientation >= 1 && orientation <= 8);
    reset_exif_orientation(exif);
    unlink_exif_thumbnail(exif);
    set_exif_size(exif, 5, 6);
    exif_resolution(exif);
  }
}

INSTANTIATE_TEST_SUITE_P(ByteOrder, Exif, testing::Bool());

TEST(Exif, NotExif) {
  for (const char* text : {"", "I", "II*", "garbage of some length"}) {
    Blob block = bytes_of(text);
    const Blob before = block;
    EXPECT_EQ(exif_orientation(block), 1);
    reset_exif_orientation(block);
    unlink_exif_thumbnail(block);
    set_exif_size(block, 1, 1);
    EXPECT_EQ(block, before);
  }
}

std::string after_reset(std::string_view text) {
  Blob xmp = bytes_of(text);
  reset_xmp_orientation(xmp);
  return {reinterpret_cast<const char*>(xmp.data()), xmp.size()};
}

TEST(Xmp, OrientationIsReset) {
  EXPECT_EQ(after_reset("<x tiff:Orientation=\"6\" a='6'/>"), "<x tiff:Orientation=\"1\" a='6'/>");
  EXPECT_EQ(after_reset("<tiff:Orientation>8</tiff:Orientation>"), "<tiff:Orientation>1</tiff:Orientation>");
  EXPECT_EQ(after_reset("tiff:Orientation = '3'"), "tiff:Orientation = '1'");
  EXPECT_EQ(after_reset("tiff:Orientation=\"12\""), "tiff:Orientation=\"12\"");
  EXPECT_EQ(after_reset("tiff:Orientations=\"6\""), "tiff:Orientations=\"6\"");
  EXPECT_EQ(after_reset("tiff:Orientation"), "tiff:Orientation");
  EXPECT_EQ(after_reset("tiff:Orientation=\"6"), "tiff:Orientation=\"6");
  EXPECT_EQ(after_reset(""), "");
}

}  // namespace
}  // namespace upres::image::test
