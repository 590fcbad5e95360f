// Kinds of TIFF files, made without any TIFF library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "image/picture.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 13;
constexpr int kHeight = 5;

Bytes counted(size_t length) {
  Bytes data;
  for (size_t i = 0; i < length; ++i) data.push_back(static_cast<std::byte>(i * 37 % 251));
  return data;
}

TiffPage page_of(int photometric, const std::vector<uint32_t>& bits) {
  size_t row_bits = 0;
  for (const uint32_t sample_bits : bits) row_bits += sample_bits * kWidth;
  return tiff_page(kWidth, kHeight, photometric, bits, counted((row_bits + 7) / 8 * kHeight));
}

TiffPage with(TiffPage page, const TiffTag& tag) {
  page.tags.push_back(tag);
  return page;
}

std::string error_of(const TiffPage& page) {
  const Bytes file = make_tiff({page});
  const auto probed = probe(file, "a.tif");
  const auto picture = read(file, "a.tif");
  EXPECT_FALSE(picture);
  EXPECT_FALSE(probed) << "refused by its kind, so probe() must see it";
  return picture ? "" : picture.error().message;
}

class TiffOrder : public testing::TestWithParam<bool> {};

TEST_P(TiffOrder, GreyAndRgb) {
  for (const auto& [photometric, samples] : {std::pair<int, size_t>{1, 1}, {2, 3}}) {
    for (const uint32_t bits : {8U, 16U}) {
      const TiffPage page = page_of(photometric, std::vector<uint32_t>(samples, bits));
      const Picture picture = read(make_tiff({page}, GetParam()), "a.tif").value();
      EXPECT_EQ(picture.format, Format::tiff);
      ASSERT_EQ(picture.image.shape, (ImageShape{kWidth, kHeight, static_cast<int>(samples),
                                                 bits == 16 ? DType::u16 : DType::u8}));
      if (bits == 8) {
        EXPECT_EQ(picture.image.bytes, page.data);
        continue;
      }
      for (size_t i = 0; i < page.data.size() / 2; ++i) {
        const auto first = static_cast<int>(page.data[2 * i]);
        const auto second = static_cast<int>(page.data[2 * i + 1]);
        const int channels = static_cast<int>(samples);
        const int pixel = static_cast<int>(i) / channels;
        ASSERT_EQ(sample(picture.image, pixel % kWidth, pixel / kWidth, static_cast<int>(i) % channels),
                  GetParam() ? first * 256 + second : second * 256 + first);
      }
    }
  }
}

TEST_P(TiffOrder, ResolutionAndOrientationTags) {
  const TiffPage page = with(page_of(1, {8}), {274, 3, {6}});
  const auto info = probe(make_tiff({page}, GetParam()), "a.tif").value();
  EXPECT_EQ(info.shape, (ImageShape{kHeight, kWidth, 1, DType::u8}));
}

INSTANTIATE_TEST_SUITE_P(ByteOrder, TiffOrder, testing::Bool());

TEST(Tiff, FewBits) {
  for (const uint32_t bits : {1U, 2U, 4U}) {
    for (const int photometric : {0, 1}) {
      const TiffPage page = page_of(photometric, {bits});
      const Picture picture = read(make_tiff({page}), "a.tif").value();
      ASSERT_EQ(picture.image.shape, (ImageShape{kWidth, kHeight, 1, DType::u8}));
      const unsigned row_bytes = (bits * kWidth + 7) / 8;
      const unsigned top = (1U << bits) - 1;
      for (unsigned y = 0; y < kHeight; ++y) {
        for (unsigned x = 0; x < kWidth; ++x) {
          const auto byte = static_cast<unsigned>(page.data[y * row_bytes + x * bits / 8]);
          unsigned value = byte >> (8 - bits - x * bits % 8) & top;
          if (photometric == 0) value = top - value;
          ASSERT_EQ(sample(picture.image, static_cast<int>(x), static_cast<int>(y), 0),
                    static_cast<int>(value * 255 / top))
              << bits << " bits, photometric " << photometric << " at " << x << "," << y;
        }
      }
    }
  }
}

TEST(Tiff, MinIsWhiteIsInverted) {
  const TiffPage page = page_of(0, {8});
  const Picture picture = read(make_tiff({page}), "a.tif").value();
  for (int x = 0; x < kWidth; ++x) EXPECT_EQ(sample(picture.image, x, 0, 0), 255 - x * 37 % 251);
}

TEST(Tiff, Alpha) {
  for (const auto& [photometric, colors] : {std::pair<int, size_t>{1, 1}, {2, 3}}) {
    const TiffPage page = page_of(photometric, std::vector<uint32_t>(colors + 1, 8));
    const Picture picture = read(make_tiff({with(page, {338, 3, {2}})}), "a.tif").value();
    EXPECT_EQ(picture.image.shape.channels, static_cast<int>(colors) + 1);
    EXPECT_EQ(picture.image.bytes, page.data);
    EXPECT_THAT(error_of(with(page, {338, 3, {1}})), HasSubstr("premultiplied alpha"));
    EXPECT_THAT(error_of(with(page, {338, 3, {0}})), HasSubstr("1 extra channel not declared as alpha"));
    EXPECT_THAT(error_of(page), HasSubstr("1 extra channel not declared as alpha"));
  }
  EXPECT_THAT(error_of(with(page_of(2, {8, 8, 8, 8, 8}), {338, 3, {2, 0}})), HasSubstr("2 extra channels"));
}

TEST(Tiff, KindsAreRefusedByName) {
  EXPECT_EQ(error_of(page_of(5, {8, 8, 8, 8})),
            "cannot read a.tif: it is a CMYK picture (TIFF); convert it to grey or RGB first");
  EXPECT_THAT(error_of(page_of(3, {8})), HasSubstr("is a palette picture"));
  EXPECT_THAT(error_of(page_of(8, {8, 8, 8})), HasSubstr("is a Lab picture"));
  EXPECT_THAT(error_of(page_of(4, {1})), HasSubstr("transparency mask"));
  EXPECT_THAT(error_of(page_of(32845, {16, 16, 16})), HasSubstr("LogLuv"));
  EXPECT_THAT(error_of(page_of(77, {8})), HasSubstr("unknown colour kind"));
  EXPECT_THAT(error_of(with(page_of(1, {32}), {339, 3, {3}})), HasSubstr("float samples"));
  EXPECT_THAT(error_of(with(page_of(1, {16}), {339, 3, {3}})), HasSubstr("float samples"));
  EXPECT_THAT(error_of(with(page_of(1, {8}), {339, 3, {2}})), HasSubstr("signed or complex samples"));
  EXPECT_THAT(error_of(page_of(1, {32})), HasSubstr("32-bit samples"));
  EXPECT_THAT(error_of(page_of(2, {16, 16, 32})), HasSubstr("different-bit samples"));
  EXPECT_THAT(error_of(page_of(1, {12})), HasSubstr("12-bit samples"));
  EXPECT_THAT(error_of(page_of(32803, {16})), HasSubstr("is a camera raw file"));
  EXPECT_THAT(error_of(with(page_of(2, {8, 8, 8}), {50706, 1, {1, 4, 0, 0}})),
              HasSubstr("is a camera raw file"));
  EXPECT_THAT(error_of(with(page_of(2, {8, 8, 8}), {254, 4, {1}})),
              HasSubstr("begins with a reduced preview"));
}

TEST(Tiff, Pages) {
  const TiffPage page = page_of(1, {8});
  const auto two = read(make_tiff({page, page}), "a.tif");
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().message,
            "cannot read a.tif: it is a TIFF file with 2 pages; save its pages as single pictures first");
  const TiffPage thumbnail = with(page, {254, 4, {1}});
  const auto with_thumbnail = read(make_tiff({page, thumbnail}), "a.tif");
  ASSERT_TRUE(with_thumbnail) << with_thumbnail.error().message;
  EXPECT_EQ(with_thumbnail->image.bytes, page.data);
}

// The same page in the 64-bit layout of BigTIFF, tags as LONG8.
Bytes make_big_tiff(const TiffPage& page) {
  Bytes file = bytes_of("II");
  for (const int value : {43, 8, 0}) append_little(file, static_cast<uint64_t>(value), 2);
  append_little(file, 16 + page.data.size(), 8);
  append(file, page.data);
  append_little(file, page.tags.size() + 2, 8);
  std::vector<TiffTag> tags = page.tags;
  tags.push_back({273, 4, {16}});
  tags.push_back({279, 4, {static_cast<uint32_t>(page.data.size())}});
  std::sort(tags.begin(), tags.end(), [](const TiffTag& a, const TiffTag& b) { return a.tag < b.tag; });
  for (const TiffTag& tag : tags) {
    const bool is_offset = tag.tag == 273;
    append_little(file, static_cast<uint64_t>(tag.tag), 2);
    append_little(file, is_offset ? 16U : 3U, 2);
    append_little(file, tag.values.size(), 8);
    const size_t end = file.size() + 8;
    for (const uint32_t value : tag.values) append_little(file, value, is_offset ? 8 : 2);
    file.resize(end);
  }
  append_little(file, 0, 8);
  return file;
}

TEST(Tiff, BigTiff) {
  for (const TiffPage& page : {page_of(1, {16}), page_of(2, {8, 8, 8})}) {
    const auto picture = read(make_big_tiff(page), "a.tif");
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->image.bytes, page.data);
  }
  const auto cmyk = read(make_big_tiff(page_of(5, {8, 8, 8, 8})), "a.tif");
  ASSERT_FALSE(cmyk);
  EXPECT_THAT(cmyk.error().message, HasSubstr("is a CMYK picture"));
}

TEST(Tiff, EndlessPageList) {
  Bytes file = make_tiff({page_of(1, {8})});
  // The link after the only directory points back at it.
  const auto directory = std::span(file).subspan(4, 4);
  std::copy(directory.begin(), directory.end(), file.end() - 4);
  const auto endless = read(file, "a.tif");
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("broken list of pages"));
}

TEST(Tiff, WhatIsNotKeptIsTold) {
  const TiffPage page = with(with(page_of(1, {8}), {34665, 4, {8}}), {33723, 1, {1, 2, 3, 4}});
  LogLines lines;
  EXPECT_TRUE(read(make_tiff({page}), "a.tif", lines.log));
  ASSERT_FALSE(lines.warnings.empty());
  EXPECT_EQ(lines.warnings.front(), "a.tif: not passed on: EXIF (in TIFF), IPTC");

  LogLines of_camera;
  const TiffPage named =
      with(page_of(1, {8}), {271, 2, {0x6f6c6f50}});  // Make "Polo", which is no EXIF block
  EXPECT_TRUE(read(make_tiff({named}), "b.tif", of_camera.log));
  ASSERT_FALSE(of_camera.warnings.empty());
  EXPECT_EQ(of_camera.warnings.front(), "b.tif: not passed on: EXIF (in TIFF)");
}

TEST(Tiff, DataBeyondTheEnd) {
  TiffPage page = page_of(1, {8});
  Bytes file = make_tiff({page});
  file.insert(file.begin() + 8, std::byte{0});  // everything moves but the offsets
  EXPECT_FALSE(read(file, "a.tif"));
}

}  // namespace
}  // namespace upres::image::test
