#include "image/orientation.h"

#include <gtest/gtest.h>

#include "image/exif.h"
#include "image/picture.h"
#include "image/write.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

// The definition of the tag, Exif 2.32 table 6, read literally: which visual side row 0 and column 0 lie on.
enum class Side { top, bottom, left, right };
struct Meaning {
  Side row0, column0;
};
const Meaning kMeanings[] = {{Side::top, Side::left},     {Side::top, Side::right},
                             {Side::bottom, Side::right}, {Side::bottom, Side::left},
                             {Side::left, Side::top},     {Side::right, Side::top},
                             {Side::right, Side::bottom}, {Side::left, Side::bottom}};

struct Point {
  int x = 0, y = 0;
};

void place(Point& point, Side side, int index, int count) {
  switch (side) {
    case Side::left:
      point.x = index;
      break;
    case Side::right:
      point.x = count - 1 - index;
      break;
    case Side::top:
      point.y = index;
      break;
    case Side::bottom:
      point.y = count - 1 - index;
      break;
  }
}

Point shown_at(int orientation, int column, int row, const ImageShape& stored) {
  const Meaning meaning = kMeanings[orientation - 1];
  Point point;
  place(point, meaning.row0, row, stored.height_px);
  place(point, meaning.column0, column, stored.width_px);
  return point;
}

void expect_turned(const Image& stored, const Image& shown, int orientation) {
  const bool is_swapped = orientation >= 5;
  ASSERT_EQ(shown.shape.width_px, is_swapped ? stored.shape.height_px : stored.shape.width_px);
  ASSERT_EQ(shown.shape.height_px, is_swapped ? stored.shape.width_px : stored.shape.height_px);
  ASSERT_EQ(shown.bytes.size(), stored.bytes.size());
  for (int row = 0; row < stored.shape.height_px; ++row) {
    for (int column = 0; column < stored.shape.width_px; ++column) {
      const Point at = shown_at(orientation, column, row, stored.shape);
      for (int c = 0; c < stored.shape.channels; ++c) {
        ASSERT_EQ(sample(shown, at.x, at.y, c), sample(stored, column, row, c))
            << "orientation " << orientation << " at " << column << "," << row;
      }
    }
  }
}

class Orientation : public testing::TestWithParam<int> {};

TEST_P(Orientation, TurnsEveryKindOfPixel) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (const DType dtype : {DType::u8, DType::u16}) {
      for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {9, 1}, {37, 70}, {67, 33}}) {
        const Image stored = noise({width, height, channels, dtype}, 5);
        expect_turned(stored, apply_orientation(stored, GetParam()).value(), GetParam());
      }
    }
  }
}

TEST_P(Orientation, IsAppliedOnceToPngAndReset) {
  const Image stored = noise({13, 7, 3, DType::u8}, 6);
  const Metadata metadata = {
      {}, make_exif(GetParam(), true), bytes_of("<a tiff:Orientation=\"6\"/>"), 2.0, 3.0};
  const auto file = encode(stored.view(), metadata, Format::png).value();
  const Picture first = read(file, "first").value();
  expect_turned(stored, first.image, GetParam());
  EXPECT_EQ(probe(file, "first")->shape, first.image.shape);
  EXPECT_EQ(exif_orientation(first.image.metadata.exif), 1);
  EXPECT_EQ(first.image.metadata.xmp, bytes_of("<a tiff:Orientation=\"1\"/>"));
  EXPECT_EQ(first.image.metadata.x_pixels_per_mm, GetParam() >= 5 ? 3.0 : 2.0);
  EXPECT_EQ(first.image.metadata.y_pixels_per_mm, GetParam() >= 5 ? 2.0 : 3.0);

  const auto again = encode(first.image.view(), first.image.metadata, Format::png).value();
  EXPECT_EQ(read(again, "again")->image.bytes, first.image.bytes);
}

// JPEG and WebP lose a little, so the reference is the same file with orientation 1.
TEST_P(Orientation, IsAppliedToJpegAndWebp) {
  const Image stored = ramp({40, 24, 3, DType::u8});
  for (const Format format : {Format::jpeg, Format::webp}) {
    const auto plain = encode(stored.view(), {{}, make_exif(1, false), {}, {}, {}}, format).value();
    const auto turned = encode(stored.view(), {{}, make_exif(GetParam(), false), {}, {}, {}}, format).value();
    expect_turned(read(plain, "plain")->image, read(turned, "turned")->image, GetParam());
  }
}

TEST_P(Orientation, IsAppliedToTiff) {
  const Image stored = noise({13, 7, 3, DType::u8}, 8);
  TiffPage page = tiff_page(13, 7, 2, {8, 8, 8}, stored.bytes);
  page.tags.push_back({274, 3, {static_cast<uint32_t>(GetParam())}});
  const Picture picture = read(make_tiff({page}), "turned.tif").value();
  expect_turned(stored, picture.image, GetParam());
}

TEST_P(Orientation, ThumbnailGoesOnlyWhenTurned) {
  const Image stored = ramp({8, 8, 1, DType::u8});
  const auto file =
      encode(stored.view(), {{}, make_exif(GetParam(), false), {}, {}, {}}, Format::jpeg).value();
  const Picture picture = read(file, "a.jpg").value();
  Bytes expected = make_exif(GetParam(), false);
  set_exif_size(expected, 8, 8);
  reset_exif_orientation(expected);
  if (GetParam() != 1) unlink_exif_thumbnail(expected);
  EXPECT_EQ(picture.image.metadata.exif, expected);
}

INSTANTIATE_TEST_SUITE_P(All, Orientation, testing::Range(1, 9));

TEST(Orientation, ValuesOutOfRangeMeanOne) {
  const Image stored = noise({5, 4, 1, DType::u8}, 9);
  for (const int orientation : {-1, 0, 9, 1000}) {
    EXPECT_EQ(apply_orientation(stored, orientation)->bytes, stored.bytes);
  }
}

}  // namespace
}  // namespace upres::image::test
