#include "kernels/pixels/color.h"

#include <gtest/gtest.h>

#include <array>

#include "one_node.h"

namespace upres::kernels {
namespace {

const TensorType kStatisticsType = {DType::u32, Layout::flat, 4};

// Through encode and decode with nothing between them.
Tensor there_and_back(const Tensor& pixels, graph::NetworkColors colors) {
  const int channels = pixels.type.channels;
  const int side =
      (colors == graph::NetworkColors::luma && channels >= 3 ? 2 : 0) + (channels % 2 == 0 ? 1 : 0);
  std::vector<TensorType> types = {planar(colors == graph::NetworkColors::luma ? 1 : 3)};
  if (side > 0) types.push_back(planar(side));
  const auto encoded = run_one(graph::Encode{colors}, {pixels}, types);
  return run_one(graph::Decode{.colors = colors}, encoded, {pixels.type, kStatisticsType})[0];
}

// Every 8-bit colour there is comes back as it was. The arithmetic of the reference, without its tensors:
// 2^24 pixels.
TEST(Color, EveryColourSurvivesTheRoundTrip) {
  uint32_t wrong = 0;
  for (uint32_t rgb = 0; rgb < 1U << 24U; ++rgb) {
    const std::array<uint32_t, 3> in = {rgb >> 16U, (rgb >> 8U) & 0xffU, rgb & 0xffU};
    const Rgb color = {static_cast<float>(in[0]), static_cast<float>(in[1]), static_cast<float>(in[2])};
    const float y = luma(color);
    const Rgb back = rgb_from_ycbcr(y * sample_scale(DType::u8), (color.b - y) * cb_scale(DType::u8),
                                    (color.r - y) * cr_scale(DType::u8));
    wrong += quantize(back.r, DType::u8) != in[0] || quantize(back.g, DType::u8) != in[1] ||
             quantize(back.b, DType::u8) != in[2];
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(Color, PicturesOfEveryKindSurviveEncodeAndDecode) {
  for (const auto colors : {graph::NetworkColors::luma, graph::NetworkColors::rgb}) {
    for (const DType dtype : {DType::u8, DType::u16}) {
      for (const int channels : {1, 2, 3, 4}) {
        Tensor pixels(pixels_of(dtype, channels), {31, 17});
        uint32_t state = 12345;
        for (std::byte& byte : pixels.bytes)
          byte = static_cast<std::byte>((state = state * 1664525U + 1013904223U) >> 24U);
        EXPECT_EQ(there_and_back(pixels, colors).bytes, pixels.bytes)
            << channels << " channels " << name(dtype)
            << (colors == graph::NetworkColors::rgb ? " rgb" : " luma");
      }
    }
  }
}

TEST(Color, GreyHasExactlyItsLumaAndNoChroma) {
  for (const DType dtype : {DType::u8, DType::u16}) {
    for (int value = 0; value <= static_cast<int>(sample_range(dtype)); ++value) {
      const auto grey = static_cast<float>(value);
      ASSERT_EQ(luma({grey, grey, grey}), grey);
    }
  }
}

// Whatever the network makes of a grey picture's luma, R, G and B are the same.
TEST(Color, GreyIsNeverColoured) {
  const Tensor side(planar(2), {4, 3});
  Tensor features(planar(9), {4, 3});
  for (size_t i = 0; i < features.as<float>().size(); ++i)
    features.as<float>()[i] = 0.013F * static_cast<float>(i);
  const graph::Decode decode = {.colors = graph::NetworkColors::luma, .block = 3, .factor = 3};
  const auto out =
      elements<uint8_t>(run_one(decode, {features, side}, {pixels_of(DType::u8, 3), kStatisticsType})[0]);
  for (size_t i = 0; i < out.size(); i += 3) {
    EXPECT_EQ(out[i], out[i + 1]);
    EXPECT_EQ(out[i], out[i + 2]);
  }
}

// The textbook matrix (JPEG, ITU-T T.871) in double precision.
TEST(Color, AgreesWithTheMatrixInDoublePrecision) {
  for (int r = 0; r <= 255; r += 15) {
    for (int g = 0; g <= 255; g += 15) {
      for (int b = 0; b <= 255; b += 15) {
        const double y = (0.299 * r + 0.587 * g + 0.114 * b) / 255;
        const float luminance = luma({static_cast<float>(r), static_cast<float>(g), static_cast<float>(b)});
        EXPECT_NEAR(luminance * sample_scale(DType::u8), y, 2e-7);
        EXPECT_NEAR((static_cast<float>(b) - luminance) * cb_scale(DType::u8), (b / 255.0 - y) / 1.772, 2e-7);
        EXPECT_NEAR((static_cast<float>(r) - luminance) * cr_scale(DType::u8), (r / 255.0 - y) / 1.402, 2e-7);
      }
    }
  }
}

TEST(Color, ScalesAreTheNearestFloats) {
  EXPECT_EQ(sample_scale(DType::u8), static_cast<float>(1.0 / 255));
  EXPECT_EQ(sample_scale(DType::u16), static_cast<float>(1.0 / 65535));
  EXPECT_EQ(cb_scale(DType::u8), static_cast<float>(1.0 / (255 * 1.772)));
  EXPECT_EQ(cb_scale(DType::u16), static_cast<float>(1.0 / (65535 * 1.772)));
  EXPECT_EQ(cr_scale(DType::u8), static_cast<float>(1.0 / (255 * 1.402)));
  EXPECT_EQ(cr_scale(DType::u16), static_cast<float>(1.0 / (65535 * 1.402)));
}

}  // namespace
}  // namespace upres::kernels
