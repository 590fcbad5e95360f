#include "upscale/hidden_colors.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace upres::upscale {
namespace {

using Rgba = std::array<uint8_t, 4>;

Image picture(int width, int height, const std::vector<Rgba>& pixels) {
  Image image = Image::create({width, height, 4, DType::u8}).value();
  std::memcpy(image.bytes.data(), pixels.data(), image.bytes.size());
  return image;
}

Rgba pixel(const Image& image, int x, int y) {
  Rgba value;
  std::memcpy(value.data(), image.view().row(y).data() + 4 * x, 4);
  return value;
}

TEST(HiddenColors, RedDiscOnHiddenWhiteBecomesRedEverywhere) {
  constexpr int kSize = 32;
  std::vector<Rgba> pixels;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const bool inside = (x - 16) * (x - 16) + (y - 16) * (y - 16) < 64;
      pixels.push_back(inside ? Rgba{200, 10, 0, 255} : Rgba{255, 255, 255, 0});
    }
  }
  Image image = picture(kSize, kSize, pixels);
  ASSERT_TRUE(fill_hidden_colors(image.view()));
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const uint8_t alpha = pixels[static_cast<size_t>(y * kSize + x)][3];
      EXPECT_EQ(pixel(image, x, y), (Rgba{200, 10, 0, alpha})) << x << "," << y;
    }
  }
}

TEST(HiddenColors, MeanOfNeighboursWeightedByAlpha) {
  Image image = picture(3, 1, {{100, 0, 50, 255}, {9, 9, 9, 0}, {0, 200, 50, 85}});
  ASSERT_TRUE(fill_hidden_colors(image.view()));
  EXPECT_EQ(pixel(image, 1, 0), (Rgba{75, 50, 50, 0}));  // weights 3 to 1
  EXPECT_EQ(pixel(image, 2, 0), (Rgba{0, 200, 50, 85}));
}

TEST(HiddenColors, LaterRingsContinueEarlierOnes) {
  Image image = picture(5, 1, {{10, 20, 30, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {50, 60, 70, 255}});
  ASSERT_TRUE(fill_hidden_colors(image.view()));
  EXPECT_EQ(pixel(image, 1, 0), (Rgba{10, 20, 30, 0}));
  EXPECT_EQ(pixel(image, 3, 0), (Rgba{50, 60, 70, 0}));
  EXPECT_EQ(pixel(image, 2, 0), (Rgba{30, 40, 50, 0}));
}

TEST(HiddenColors, NothingToLearnFromStaysAsItIs) {
  Image transparent = picture(2, 1, {{1, 2, 3, 0}, {4, 5, 6, 0}});
  const auto before = transparent.bytes;
  ASSERT_TRUE(fill_hidden_colors(transparent.view()));
  EXPECT_EQ(transparent.bytes, before);

  Image opaque = Image::create({2, 2, 3, DType::u8}).value();
  opaque.bytes[0] = std::byte{7};
  const auto opaque_before = opaque.bytes;
  ASSERT_TRUE(fill_hidden_colors(opaque.view()));
  EXPECT_EQ(opaque.bytes, opaque_before);
}

TEST(HiddenColors, SixteenBitGrey) {
  Image image = Image::create({2, 1, 2, DType::u16}).value();
  const std::array<uint16_t, 4> samples = {1234, 0, 40000, 3};
  std::memcpy(image.bytes.data(), samples.data(), image.bytes.size());
  ASSERT_TRUE(fill_hidden_colors(image.view()));
  std::array<uint16_t, 4> after{};
  std::memcpy(after.data(), image.bytes.data(), image.bytes.size());
  EXPECT_EQ(after, (std::array<uint16_t, 4>{40000, 0, 40000, 3}));
}

}  // namespace
}  // namespace upres::upscale
