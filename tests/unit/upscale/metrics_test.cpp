#include "upscale/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace upres::upscale {
namespace {

constexpr int kWidth = 23;
constexpr int kHeight = 17;

// The pictures that the expected values were computed for, with NumPy and with scikit-image.
int sample_a(int x, int y, int c) { return (x * 7 + y * 13 + c * 29 + x * y) % 256; }
int sample_b(int x, int y, int c) {
  return std::clamp(sample_a(x, y, c) + (x * 5 + y * 3 + c) % 7 - 3, 0, 255);
}

template <typename Sample>
Image make(const ImageShape& shape, int (*sample)(int, int, int), int scale) {
  Image image = Image::create(shape).value();
  size_t at = 0;
  for (int y = 0; y < shape.height_px; ++y) {
    for (int x = 0; x < shape.width_px; ++x) {
      for (int c = 0; c < shape.channels; ++c, at += sizeof(Sample)) {
        const auto value = static_cast<Sample>(sample(x, y, c) * scale);
        std::memcpy(image.bytes.data() + at, &value, sizeof value);
      }
    }
  }
  return image;
}

ImageView view_of(const Image& image) { return image.view(); }

TEST(Metrics, AgreeWithIndependentImplementations) {
  const ImageShape shape{kWidth, kHeight, 3, DType::u8};
  const Image a = make<uint8_t>(shape, sample_a, 1);
  const Image b = make<uint8_t>(shape, sample_b, 1);
  const auto whole = compare_pictures(view_of(a), view_of(b), 0);
  ASSERT_TRUE(whole);
  EXPECT_NEAR(whole->psnr_rgb, 42.1408566254, 1e-8);
  EXPECT_NEAR(whole->psnr_luma, 46.0490670934, 1e-8);
  EXPECT_NEAR(whole->ssim_luma.value(), 0.999527253196, 1e-10);
  const auto shaved = compare_pictures(view_of(a), view_of(b), 2);
  ASSERT_TRUE(shaved);
  EXPECT_NEAR(shaved->psnr_rgb, 42.1692120056, 1e-8);
  EXPECT_NEAR(shaved->psnr_luma, 46.0505988440, 1e-8);
  EXPECT_NEAR(shaved->ssim_luma.value(), 0.999608545879, 1e-10);
  EXPECT_EQ(shaved->width_px, kWidth - 4);
  EXPECT_EQ(shaved->height_px, kHeight - 4);
}

TEST(Metrics, SixteenBitsHaveTheSameScale) {
  const Image a = make<uint8_t>({kWidth, kHeight, 3, DType::u8}, sample_a, 1);
  const Image b = make<uint16_t>({kWidth, kHeight, 3, DType::u16}, sample_b, 257);
  const auto result = compare_pictures(view_of(a), view_of(b), 0);
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->psnr_rgb, 42.1408566254, 1e-8);
}

TEST(Metrics, GreyEqualsItsColourTwin) {
  const auto grey_sample = [](int x, int y, int) { return sample_a(x, y, 0); };
  const Image grey = make<uint8_t>({kWidth, kHeight, 1, DType::u8}, grey_sample, 1);
  const Image color = make<uint8_t>({kWidth, kHeight, 4, DType::u8}, grey_sample, 1);
  const auto result = compare_pictures(view_of(grey), view_of(color), 0);
  ASSERT_TRUE(result);
  EXPECT_TRUE(std::isinf(result->psnr_rgb));
  EXPECT_TRUE(std::isinf(result->psnr_luma));
  EXPECT_DOUBLE_EQ(result->ssim_luma.value(), 1);
}

TEST(Metrics, WhiteAndBlackAreTheLimitedRangeApart) {
  const Image white = make<uint8_t>(
      {1, 1, 3, DType::u8}, [](int, int, int) { return 255; }, 1);
  const Image black = make<uint8_t>(
      {1, 1, 3, DType::u8}, [](int, int, int) { return 0; }, 1);
  const auto result = compare_pictures(view_of(white), view_of(black), 0);
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->psnr_rgb, 0, 1e-12);
  EXPECT_NEAR(result->psnr_luma, 20 * std::log10(255.0 / 219.0), 1e-9);
  EXPECT_FALSE(result->ssim_luma);
}

TEST(Metrics, RefusesDifferentSizesAndShavingEverything) {
  const Image a = make<uint8_t>({5, 4, 3, DType::u8}, sample_a, 1);
  const Image b = make<uint8_t>({4, 5, 3, DType::u8}, sample_a, 1);
  const auto different = compare_pictures(view_of(a), view_of(b), 0);
  ASSERT_FALSE(different);
  EXPECT_EQ(different.error().code, ErrorCode::input);
  for (const int shave : {2, 100, -1}) {
    const auto nothing = compare_pictures(view_of(a), view_of(a), shave);
    ASSERT_FALSE(nothing) << shave;
    EXPECT_EQ(nothing.error().code, ErrorCode::usage);
  }
  EXPECT_TRUE(compare_pictures(view_of(a), view_of(a), 1));
}

}  // namespace
}  // namespace upres::upscale
