#include "upscale/scale.h"

#include <gtest/gtest.h>

namespace upres::upscale {
namespace {

struct Case {
  const char* scale;
  Extent input;
  Extent output;
};

TEST(Scale, ResultingSizes) {
  const Case cases[] = {
      {"2", {640, 480}, {1280, 960}},
      {"3", {1, 1}, {3, 3}},
      {"2.5", {3, 5}, {8, 13}},  // 7.5 and 12.5, half up
      {"1.5", {1, 1}, {2, 2}},
      {"1.01", {10, 1000}, {10, 1010}},
      {"1920x1080", {640, 480}, {1440, 1080}},  // the height limits
      {"1920x1080", {640, 100}, {1920, 300}},   // the width limits
      {"100x100", {3, 1}, {100, 33}},           // 33.33
      {"100x100", {1, 3}, {33, 100}},
      {"2x1000", {1, 500}, {2, 1000}},
      {"3x1000", {2, 3}, {3, 5}},  // 4.5, half up
      {"64", {2, 2}, {128, 128}},
  };
  for (const Case& c : cases) {
    const auto scale = parse_scale(c.scale);
    ASSERT_TRUE(scale) << c.scale;
    const auto output = output_extent(c.input, *scale);
    ASSERT_TRUE(output) << c.scale;
    EXPECT_EQ(*output, c.output) << c.scale << " gives " << output->width_px << "x" << output->height_px;
  }
}

TEST(Scale, RefusesWhatIsNoEnlargement) {
  for (const char* text : {"0",           "1",   "0.5", "-2",   "nan",   "inf",   "NaN",           "65",
                           "64.01",       "",    "two", "2 ",   " 2",    "+2",    "2,5",           "2x",
                           "x2",          "0x5", "5x0", "-1x5", "1x2x3", "1e400", "99999999999x2", "0x10",
                           "100x20000000"}) {
    const auto scale = parse_scale(text);
    ASSERT_FALSE(scale) << text;
    EXPECT_EQ(scale.error().code, ErrorCode::usage) << text;
  }
}

TEST(Scale, ABoxMustBeLargerThanThePicture) {
  const Scale box{0, Extent{100, 50}};
  for (const Extent input : {Extent{100, 20}, Extent{20, 50}, Extent{101, 1}, Extent{1, 51}}) {
    const auto output = output_extent(input, box);
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::input);
  }
  EXPECT_TRUE(output_extent({99, 49}, box));
}

TEST(Scale, TooLargeToCount) {
  const auto output = output_extent({100'000'000, 1}, Scale{64, {}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, ErrorCode::input);
}

TEST(Scale, Suffixes) {
  EXPECT_EQ(scale_suffix(Scale{2, {}}), "_x2");
  EXPECT_EQ(scale_suffix(Scale{2.5, {}}), "_x2.5");
  EXPECT_EQ(scale_suffix(parse_scale("3.0").value()), "_x3");
  EXPECT_EQ(scale_suffix(parse_scale("1920x1080").value()), "_1920x1080");
}

TEST(Scale, NeededFactor) {
  const Scale box{0, Extent{1000, 1000}};
  EXPECT_EQ(needed_factor({10, 10}, {20, 20}, box), 2);
  EXPECT_EQ(needed_factor({10, 10}, {21, 20}, box), 3);
  EXPECT_EQ(needed_factor({10, 10}, {11, 10}, box), 2);
  EXPECT_EQ(needed_factor({1, 1}, {1, 1}, box), 1);
  EXPECT_EQ(needed_factor({3, 7}, {9, 28}, box), 4);
  EXPECT_EQ(needed_factor({10, 10}, {20, 20}, Scale{2, {}}), 2);
  EXPECT_EQ(needed_factor({10, 10}, {20, 20}, Scale{2.01, {}}), 3);
  EXPECT_EQ(needed_factor({1, 1}, {1, 1}, Scale{1.1, {}}), 2);
}

}  // namespace
}  // namespace upres::upscale
