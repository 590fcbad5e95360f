// Every colour type and depth of PNG, made without any PNG library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/picture.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using namespace std::string_view_literals;
using testing::HasSubstr;

int pattern(int x, int y, int channel) { return x * 7 + y * 13 + channel * 29 + x * y; }
int wide_pattern(int x, int y, int channel) { return (x * 2654435 + y * 40503 + channel * 977) >> 3; }

// A level of `depth` bits on the full range of 8 bits.
int expanded(int value, int depth) {
  const int top = (1 << depth) - 1;
  return (value & top) * 255 / top;
}

struct Kind {
  int depth;
  int width;
  bool is_interlaced;
};

class PngKind : public testing::TestWithParam<Kind> {
 protected:
  [[nodiscard]] PngSpec spec(int color_type) const {
    return {GetParam().width, 11, GetParam().depth, color_type, GetParam().is_interlaced, {}, {}};
  }
};

TEST_P(PngKind, Grey) {
  const Picture picture = read(make_png(spec(0), pattern), "grey.png").value();
  EXPECT_EQ(picture.image.shape, (ImageShape{GetParam().width, 11, 1, DType::u8}));
  for (int y = 0; y < 11; ++y) {
    for (int x = 0; x < GetParam().width; ++x) {
      ASSERT_EQ(sample(picture.image, x, y, 0), expanded(pattern(x, y, 0), GetParam().depth))
          << x << "," << y;
    }
  }
}

TEST_P(PngKind, GreyWithTransparentLevel) {
  PngSpec with_level = spec(0);
  Bytes level;
  append_big(level, 1, 2);
  with_level.before_data = {{"tRNS", level}};
  const Picture picture = read(make_png(with_level, pattern), "grey.png").value();
  ASSERT_EQ(picture.image.shape.channels, 2);
  const int mask = (1 << GetParam().depth) - 1;
  for (int y = 0; y < 11; ++y) {
    for (int x = 0; x < GetParam().width; ++x) {
      const int value = pattern(x, y, 0) & mask;
      ASSERT_EQ(sample(picture.image, x, y, 0), expanded(value, GetParam().depth));
      ASSERT_EQ(sample(picture.image, x, y, 1), value == 1 ? 0 : 255);
    }
  }
}

int palette_color(int index, int channel) { return (index * 53 + channel * 101 + 7) & 255; }

Bytes palette(int colors) {
  Bytes data;
  for (int i = 0; i < colors; ++i) {
    for (int c = 0; c < 3; ++c) append_big(data, static_cast<uint64_t>(palette_color(i, c)), 1);
  }
  return data;
}

TEST_P(PngKind, Palette) {
  const int colors = 1 << GetParam().depth;
  PngSpec indexed = spec(3);
  indexed.before_data = {{"PLTE", palette(colors)}};
  const Picture opaque = read(make_png(indexed, pattern), "indexed.png").value();
  ASSERT_EQ(opaque.image.shape.channels, 3);
  indexed.before_data.push_back({"tRNS", bytes_of("\x40")});
  const Picture transparent = read(make_png(indexed, pattern), "indexed.png").value();
  ASSERT_EQ(transparent.image.shape.channels, 4);
  for (int y = 0; y < 11; ++y) {
    for (int x = 0; x < GetParam().width; ++x) {
      const int index = pattern(x, y, 0) & (colors - 1);
      for (int c = 0; c < 3; ++c) {
        ASSERT_EQ(sample(opaque.image, x, y, c), palette_color(index, c));
        ASSERT_EQ(sample(transparent.image, x, y, c), palette_color(index, c));
      }
      ASSERT_EQ(sample(transparent.image, x, y, 3), index == 0 ? 0x40 : 255);
    }
  }
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const int depth : {1, 2, 4, 8}) {
    for (const int width : {1, 7, 701}) {
      for (const bool is_interlaced : {false, true}) all.push_back({depth, width, is_interlaced});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, PngKind, testing::ValuesIn(kinds()), [](const auto& info) {
  return std::to_string(info.param.depth) + "bit" + std::to_string(info.param.width) +
         (info.param.is_interlaced ? "interlaced" : "plain");
});

TEST(Png, WholeByteKinds) {
  for (const int color_type : {0, 2, 4, 6}) {
    for (const int depth : {8, 16}) {
      for (const bool is_interlaced : {false, true}) {
        const Picture picture =
            read(make_png({37, 19, depth, color_type, is_interlaced, {}, {}}, wide_pattern), "a.png").value();
        const int channels = color_type == 0 ? 1 : color_type == 2 ? 3 : color_type == 4 ? 2 : 4;
        ASSERT_EQ(picture.image.shape, (ImageShape{37, 19, channels, depth == 16 ? DType::u16 : DType::u8}));
        for (int y = 0; y < 19; ++y) {
          for (int x = 0; x < 37; ++x) {
            for (int c = 0; c < channels; ++c) {
              ASSERT_EQ(sample(picture.image, x, y, c), wide_pattern(x, y, c) & ((1 << depth) - 1));
            }
          }
        }
      }
    }
  }
}

TEST(Png, DeepTransparentColor) {
  Bytes color;
  for (int c = 0; c < 3; ++c) append_big(color, static_cast<uint64_t>(wide_pattern(3, 2, c) & 0xffff), 2);
  const Picture picture =
      read(make_png({9, 5, 16, 2, false, {{"tRNS", color}}, {}}, wide_pattern), "a.png").value();
  ASSERT_EQ(picture.image.shape.channels, 4);
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 9; ++x) EXPECT_EQ(sample(picture.image, x, y, 3), x == 3 && y == 2 ? 0 : 65535);
  }
}

Bytes animation_control(uint32_t frames) {
  Bytes data;
  append_big(data, frames, 4);
  append_big(data, 0, 4);
  return data;
}

TEST(Png, Animations) {
  const PngSpec still = {4, 4, 8, 0, false, {{"acTL", animation_control(1)}}, {}};
  EXPECT_TRUE(read(make_png(still, pattern), "still.png"));
  const PngSpec moving = {4, 4, 8, 0, false, {{"acTL", animation_control(2)}}, {}};
  const auto refused = read(make_png(moving, pattern), "moving.png");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "cannot read moving.png: it is an animated PNG; save its frames as single pictures first");
  EXPECT_FALSE(probe(make_png(moving, pattern), "moving.png"));
}

Bytes gamma(uint32_t value) {
  Bytes data;
  append_big(data, value, 4);
  return data;
}

TEST(Png, GammaAloneKeepsPixelsAndIsTold) {
  const PngSpec dark = {4, 4, 8, 0, false, {{"gAMA", gamma(35000)}}, {}};
  LogLines lines;
  const Picture picture = read(make_png(dark, pattern), "dark.png", lines.log).value();
  EXPECT_EQ(sample(picture.image, 3, 1, 0), pattern(3, 1, 0) & 255);
  EXPECT_THAT(lines.warnings, testing::ElementsAre("dark.png: not passed on: gAMA 0.350"));
  LogLines usual;
  EXPECT_TRUE(read(make_png({4, 4, 8, 0, false, {{"gAMA", gamma(45455)}}, {}}, pattern), "a.png", usual.log));
  EXPECT_TRUE(usual.warnings.empty());
}

TEST(Png, MetadataAfterThePixelsCounts) {
  const Bytes xmp = bytes_of("XML:com.adobe.xmp\0\0\0\0\0<x/>"sv);
  const PngSpec spec = {4, 2, 8, 0, false, {}, {{"eXIf", make_exif(6, false)}, {"iTXt", xmp}}};
  const Picture picture = read(make_png(spec, pattern), "a.png").value();
  EXPECT_EQ(picture.image.shape.width_px, 2);
  EXPECT_EQ(picture.image.metadata.xmp, bytes_of("<x/>"));
  EXPECT_FALSE(picture.image.metadata.exif.empty());
}

TEST(Png, TextIsMentioned) {
  const Bytes text = bytes_of("Author\0me"sv);
  LogLines lines;
  EXPECT_TRUE(read(make_png({4, 2, 8, 0, false, {{"tEXt", text}}, {}}, pattern), "a.png", lines.log));
  EXPECT_THAT(lines.infos, testing::ElementsAre("a.png: not passed on: text"));
}

TEST(Png, ImpossibleSizesTakeNoMemory) {
  Bytes file = make_png({4, 2, 8, 0, false, {}, {}}, pattern);
  // 9999999x9999999 in the header, with its checksum made right again by rebuilding the chunk.
  PngSpec spec = {4, 2, 8, 0, false, {}, {}};
  spec.height = 0;
  spec.width = 9999999;
  const auto empty = read(make_png(spec, pattern), "bomb.png");
  ASSERT_FALSE(empty);
  for (int i = 16; i < 24; ++i) file[static_cast<size_t>(i)] = std::byte{0x00};
  for (const int i : {17, 21}) file[static_cast<size_t>(i)] = std::byte{0x90};
  const auto bomb = probe(file, "bomb.png");
  ASSERT_FALSE(bomb);
  EXPECT_THAT(bomb.error().message, HasSubstr("too little data for its size"));
  file[16] = std::byte{0x70};
  EXPECT_THAT(probe(file, "bomb.png").error().message, HasSubstr("is too large"));
}

TEST(Png, ChecksumsOfAllChunksCount) {
  const PngSpec spec = {4, 2, 8, 0, false, {{"tEXt", bytes_of("aaaa")}}, {}};
  Bytes file = make_png(spec, pattern);
  const auto text = std::search(file.begin(), file.end(), std::begin("tEXt"), std::begin("tEXt") + 4,
                                [](std::byte a, char b) { return a == static_cast<std::byte>(b); });
  text[5] = std::byte{'b'};
  const auto damaged = read(file, "a.png");
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("wrong checksum of its tEXt chunk"));
}

}  // namespace
}  // namespace upres::image::test
