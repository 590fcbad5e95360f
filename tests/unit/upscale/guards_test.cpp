#include "upscale/guards.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace upres::upscale {
namespace {

kernels::Statistics range(float smallest, float largest) {
  kernels::Statistics statistics;
  statistics.any_finite = true;
  statistics.smallest = smallest;
  statistics.largest = largest;
  return statistics;
}

TEST(Guards, NonFiniteSamplesAreRefused) {
  kernels::Statistics nan = range(0, 1);
  nan.nan = 3;
  const auto checked = check_result(nan, true);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::device);
  EXPECT_NE(checked.error().message.find("3 NaN"), std::string::npos);
  kernels::Statistics infinite = range(0, 1);
  infinite.infinite = 1;
  EXPECT_FALSE(check_result(infinite, true));
}

TEST(Guards, AFlatResultIsRightOnlyForAFlatPicture) {
  EXPECT_TRUE(check_result(range(0.5F, 0.5F), true));
  EXPECT_FALSE(check_result(range(0.5F, 0.5F), false));
  EXPECT_FALSE(check_result(range(0, 0), false));
  EXPECT_TRUE(check_result(range(0.5F, 0.75F), false));
}

TEST(Guards, FlatPictures) {
  Image image = Image::create({5, 3, 4, DType::u8}).value();
  std::memset(image.bytes.data(), 100, image.bytes.size());
  EXPECT_TRUE(is_flat(std::as_const(image).view()));
  image.bytes[3] = std::byte{0};  // alpha
  EXPECT_TRUE(is_flat(std::as_const(image).view()));
  image.bytes[4] = std::byte{108};
  EXPECT_TRUE(is_flat(std::as_const(image).view()));
  image.bytes[4] = std::byte{109};
  EXPECT_FALSE(is_flat(std::as_const(image).view()));
}

TEST(Guards, APlainColourIsNotFlat) {
  Image image = Image::create({1, 1, 3, DType::u16}).value();
  image.bytes[1] = std::byte{255};
  EXPECT_FALSE(is_flat(std::as_const(image).view()));
}

}  // namespace
}  // namespace upres::upscale
