// Pixels through files and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "image/byte_reader.h"
#include "image/picture.h"
#include "image/write.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using testing::HasSubstr;

struct Kind {
  Format format;
  int channels;
  DType dtype;
};

std::string text(const Kind& kind) {
  return std::string(name(kind.format)) + std::to_string(kind.channels) +
         std::string(upres::name(kind.dtype));
}

std::vector<Kind> kinds(std::initializer_list<Format> formats) {
  std::vector<Kind> all;
  for (const Format format : formats) {
    for (int channels = 1; channels <= 4; ++channels) {
      for (const DType dtype : {DType::u8, DType::u16}) {
        if (format == Format::jpeg && channels % 2 == 0) continue;
        all.push_back({format, channels, dtype});
      }
    }
  }
  return all;
}

class Exact : public testing::TestWithParam<Kind> {};

TEST_P(Exact, KeepsEverySample) {
  const auto [format, channels, dtype] = GetParam();
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {701, 3}, {67, 41}}) {
    const Image image = noise({width, height, channels, dtype}, 1);
    const auto file = encode(image.view(), {}, format).value();
    const auto picture = read(file, "a");
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->format, format);
    EXPECT_EQ(picture->image.shape, image.shape);
    EXPECT_EQ(picture->image.bytes, image.bytes);
    EXPECT_EQ(probe(file, "a")->shape, image.shape);
  }
}

TEST_P(Exact, TakesAnyRowStride) {
  const auto [format, channels, dtype] = GetParam();
  const Image whole = noise({40, 30, channels, dtype}, 2);
  const ImageView part = crop(whole.view(), 3, 5, 20, 11);
  const Picture picture = read(encode(part, {}, format).value(), "a").value();
  for (int y = 0; y < 11; ++y) {
    for (int x = 0; x < 20; ++x) {
      for (int c = 0; c < channels; ++c)
        ASSERT_EQ(sample(picture.image, x, y, c), sample(whole, x + 3, y + 5, c));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Exact, testing::ValuesIn(kinds({Format::png, Format::tiff})),
                         [](const auto& info) { return text(info.param); });

class Lossy : public testing::TestWithParam<Kind> {};

int rounded_to_8(int value, DType dtype) {
  return dtype == DType::u8 ? value : (value * 255 + 32767) / 65535;
}

// Ramps survive quality 95 within a few levels; alpha is lossless in WebP, so it shows the exact rounding.
TEST_P(Lossy, StaysClose) {
  const auto [format, channels, dtype] = GetParam();
  const bool becomes_rgb = format == Format::webp && channels <= 2;
  for (const auto& [width, height] : {std::pair{1, 1}, {300, 200}}) {
    const Image image = ramp({width, height, channels, dtype});
    LogLines lines;
    const Picture picture = read(encode(image.view(), {}, format, {}, lines.log).value(), "a").value();
    EXPECT_EQ(picture.image.shape,
              (ImageShape{width, height, becomes_rgb ? channels + 2 : channels, DType::u8}));
    EXPECT_EQ(lines.infos.size(), dtype == DType::u16 ? 1U : 0U);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < picture.image.shape.channels; ++c) {
          const bool is_alpha = picture.image.shape.has_alpha() && c == picture.image.shape.channels - 1;
          const int source = is_alpha ? channels - 1 : becomes_rgb ? 0 : c;
          const int expected = rounded_to_8(sample(image, x, y, source), dtype);
          ASSERT_NEAR(sample(picture.image, x, y, c), expected, is_alpha ? 0 : 10)
              << x << "," << y << " channel " << c;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Lossy, testing::ValuesIn(kinds({Format::jpeg, Format::webp})),
                         [](const auto& info) { return text(info.param); });

TEST(Encode, RoundsEveryLevelToNearest) {
  Image levels = noise({256, 256, 2, DType::u16}, 3);
  for (int i = 0; i < 65536; ++i) {
    const auto value = static_cast<uint16_t>(i);
    std::memcpy(levels.bytes.data() + static_cast<size_t>(i) * 4 + 2, &value, 2);
  }
  const Picture picture = read(file_of(levels, Format::webp), "a").value();
  for (int i = 0; i < 65536; ++i) {
    const int nearest = static_cast<int>(static_cast<double>(i) / 257.0 + 0.5);
    ASSERT_EQ(sample(picture.image, i % 256, i / 256, 3), nearest) << i;
  }
}

// WebP has no grey, and the conversion in its decoder rounds green a 1/64 level lower than red and blue.
TEST(Encode, GreyStaysGreyInWebp) {
  const Image image = noise({64, 48, 1, DType::u8}, 4);
  const Picture picture = read(encode(image.view(), {}, Format::webp).value(), "a").value();
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) {
      ASSERT_EQ(sample(picture.image, x, y, 0), sample(picture.image, x, y, 2));
      ASSERT_NEAR(sample(picture.image, x, y, 0), sample(picture.image, x, y, 1), 1);
    }
  }
}

TEST(Encode, QualityCounts) {
  const Image image = noise({200, 200, 3, DType::u8}, 5);
  for (const Format format : {Format::jpeg, Format::webp}) {
    const size_t low = encode(image.view(), {}, format, {50})->size();
    const size_t middle = encode(image.view(), {}, format, {95})->size();
    const size_t high = encode(image.view(), {}, format, {100})->size();
    EXPECT_LT(low, middle);
    EXPECT_LT(middle, high);
  }
  for (const int quality : {0, 101, -5}) {
    const auto refused = encode(image.view(), {}, Format::png, {quality});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
  }
}

// Sampling factors of the first component in the frame header (T.81 B.2.2): 1x1 is full chroma.
int luma_sampling(const Bytes& jpeg) {
  for (size_t at = 2; at + 12 < jpeg.size();) {
    const auto marker = static_cast<int>(jpeg[at + 1]);
    if (marker >= 0xc0 && marker <= 0xc2) return static_cast<int>(jpeg[at + 11]);
    at += 2 + big16(as_u8(jpeg).subspan(at + 2));
  }
  return 0;
}

TEST(Encode, JpegKeepsFullChromaFromQuality90On) {
  const Image image = ramp({64, 64, 3, DType::u8});
  EXPECT_EQ(luma_sampling(encode(image.view(), {}, Format::jpeg, {89}).value()), 0x22);
  EXPECT_EQ(luma_sampling(encode(image.view(), {}, Format::jpeg, {90}).value()), 0x11);
  EXPECT_EQ(luma_sampling(encode(image.view(), {}, Format::jpeg, {100}).value()), 0x11);
}

TEST(Encode, RefusesWhatTheFormatCannotHold) {
  const Image alpha = noise({4, 4, 4, DType::u8}, 6);
  EXPECT_EQ(encode(alpha.view(), {}, Format::jpeg).error().message,
            "JPEG has no alpha channel; write PNG, WebP or TIFF");
  const Image wide = noise({16384, 1, 1, DType::u8}, 7);
  EXPECT_THAT(encode(wide.view(), {}, Format::webp).error().message, HasSubstr("too large for WebP"));
}

TEST(Encode, LargestSidesWork) {
  for (const auto& [format, side] :
       {std::pair{Format::jpeg, 65500}, {Format::webp, 16383}, {Format::png, 70000}, {Format::tiff, 70000}}) {
    for (const bool is_wide : {true, false}) {
      const Image image = ramp({is_wide ? side : 2, is_wide ? 2 : side, 3, DType::u8});
      const auto file = encode(image.view(), {}, format);
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_EQ(read(*file, "a")->image.shape, image.shape);
    }
  }
}

TEST(Encode, SameBytesEachTime) {
  const Image image = noise({97, 61, 3, DType::u8}, 8);
  for (const Format format : {Format::jpeg, Format::png, Format::webp, Format::tiff}) {
    EXPECT_EQ(encode(image.view(), {}, format).value(), encode(image.view(), {}, format).value());
  }
}

}  // namespace
}  // namespace upres::image::test
