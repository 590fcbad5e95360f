#include "devicedb/shape.h"

#include <gtest/gtest.h>

#include <string>

namespace upres::devicedb {
namespace {

TEST(Shape, IsReadAsItIsWritten) {
  const auto shape = parse_shape("1->64 5x3, 64->32 3x1 fp16");
  ASSERT_TRUE(shape);
  ASSERT_EQ(shape->convs.size(), 2U);
  EXPECT_EQ(shape->convs[0].in_channels, 1U);
  EXPECT_EQ(shape->convs[0].out_channels, 64U);
  EXPECT_EQ(shape->convs[0].kernel_width, 5U);
  EXPECT_EQ(shape->convs[0].kernel_height, 3U);
  EXPECT_EQ(shape->convs[1].out_channels, 32U);
  EXPECT_EQ(shape->dtype, DType::f16);
  const auto alone = parse_shape("64->64 3x3 fp32");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->convs.size(), 1U);
  EXPECT_EQ(alone->dtype, DType::f32);
}

TEST(Shape, OtherTextsAreNone) {
  for (const std::string text :
       {"", "64x64", "64->32", "64->32 3x3", "64->32 3x3 fp64", "64->32 3x3 fp16 ", " 64->32 3x3 fp16",
        "64->32  3x3 fp16", "-64->32 3x3 fp16", "+64->32 3x3 fp16", "64->32 3x fp16", "64->32 3x3, fp16",
        "64->32 3x3,64->32 3x3 fp16", "1->1 1x1, 1->1 1x1, 1->1 1x1 fp16", "99999999999->1 1x1 fp32"}) {
    EXPECT_FALSE(parse_shape(text)) << text;
  }
}

}  // namespace
}  // namespace upres::devicedb
