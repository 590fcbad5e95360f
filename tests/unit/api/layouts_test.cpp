// Pixels of every layout that an Image can have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/api/samples.h"

namespace upres::test {
namespace {

using testing::HasSubstr;

TEST(Layouts, RowsMayLieAnywhere) {
  Upscaler enlarger = upscaler();
  for (const DType dtype : {DType::u8, DType::u16, DType::f32}) {
    for (const int channels : {1, 2, 3, 4}) {
      const ImageShape shape = {13, 9, channels, dtype};
      const Image source = picture(shape);
      const auto expected = enlarger.upscale(source.view());
      ASSERT_TRUE(expected) << expected.error().text();
      EXPECT_EQ(expected->shape, (ImageShape{26, 18, channels, dtype}));
      for (const auto& [padding, offset] : {std::pair<size_t, size_t>{12, 0}, {7, 3}}) {
        Padded input(shape, padding, offset);
        input.fill(source.view());
        Padded output(expected->shape, padding, offset);
        const Status done = enlarger.upscale_into(input.view, output.view);
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_EQ(output.packed(), expected->bytes)
            << name(dtype) << " " << channels << " padding " << padding;
        EXPECT_EQ(output.memory[offset + expected->shape.row_bytes()], std::byte{0xcd}) << "between rows";
      }
    }
  }
}

TEST(Layouts, FloatsAreComputedThroughSixteenBits) {
  Upscaler enlarger = upscaler();
  const Image deep = picture({12, 10, 3, DType::u16});
  const Image floats = picture({12, 10, 3, DType::f32});
  const Image expected = enlarger.upscale(deep.view()).value();
  const Image actual = enlarger.upscale(floats.view()).value();
  for (size_t i = 0; i < expected.bytes.size() / 2; ++i) {
    uint16_t level = 0;
    float value = 0;
    std::memcpy(&level, &expected.bytes[2 * i], 2);
    std::memcpy(&value, &actual.bytes[4 * i], 4);
    ASSERT_FLOAT_EQ(value * 65535.0F, level) << i;
  }
}

TEST(Layouts, FloatsBeyondTheRangeAreClampedAndNanIsRefused) {
  Upscaler enlarger = upscaler();
  Image inside = picture({8, 8, 1, DType::f32});
  Image outside = inside;
  const auto set = [](Image& image, size_t index, float value) {
    std::memcpy(&image.bytes[4 * index], &value, 4);
  };
  set(inside, 3, 1);
  set(inside, 9, 0);
  set(outside, 3, 17);
  set(outside, 9, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(enlarger.upscale(outside.view())->bytes, enlarger.upscale(inside.view())->bytes);
  set(outside, 19, std::numeric_limits<float>::quiet_NaN());
  const auto refused = enlarger.upscale(outside.view());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::input);
  EXPECT_THAT(refused.error().message, HasSubstr("NaN at column 3 of row 2"));
}

TEST(Layouts, TheSampleTypeOfTheResultIsFree) {
  Upscaler enlarger = upscaler();
  const Image source = picture({10, 7, 3, DType::u8});
  for (const DType dtype : {DType::u8, DType::u16, DType::f32}) {
    UpscaleOptions options;
    options.output_dtype = dtype;
    const auto result = enlarger.upscale(source.view(), options);
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(result->shape.dtype, dtype);
  }
  for (const auto& [dtype, named] : {std::pair{DType::f16, "f16"}, {static_cast<DType>(50), "50"}}) {
    UpscaleOptions options;
    options.output_dtype = dtype;
    const auto refused = enlarger.upscale(source.view(), options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
    EXPECT_THAT(refused.error().message, HasSubstr(named));
  }
}

TEST(Layouts, ImpossibleViewsAreRefused) {
  Upscaler enlarger = upscaler();
  Image source = picture({8, 6, 3, DType::u8});
  const auto error = [&](const ImageView& view) {
    const auto result = enlarger.upscale(view);
    EXPECT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::usage);
    return result.error().message;
  };
  const auto with = [&](const ImageShape& shape) {
    return ImageView{shape, shape.row_bytes(), source.bytes};
  };
  EXPECT_THAT(error(with({0, 6, 3, DType::u8})), HasSubstr("0x6"));
  EXPECT_THAT(error(with({8, -1, 3, DType::u8})), HasSubstr("8x-1"));
  EXPECT_THAT(error(with({8, 6, 0, DType::u8})), HasSubstr("0 channels"));
  EXPECT_THAT(error(with({4, 3, 5, DType::u8})), HasSubstr("5 channels"));
  EXPECT_THAT(error(with({8, 6, 1, DType::f16})), HasSubstr("f16"));
  EXPECT_THAT(error(with({8, 6, 1, static_cast<DType>(99)})), HasSubstr("99"));
  EXPECT_THAT(error(with({8, 7, 3, DType::u8})), HasSubstr("shorter"));
  EXPECT_THAT(error({source.shape, 23, source.bytes}), HasSubstr("23 bytes apart"));
  EXPECT_THAT(error({source.shape, std::numeric_limits<size_t>::max(), source.bytes}), HasSubstr("shorter"));
  EXPECT_THAT(error({source.shape, 24, {}}), HasSubstr("shorter"));
}

TEST(Layouts, TheResultMustNotLieInTheInput) {
  Upscaler enlarger = upscaler();
  Image memory = picture({16, 20, 1, DType::u8});
  const ImageView input = crop(std::as_const(memory).view(), 0, 0, 4, 4);
  const MutableImageView output = crop(memory.view(), 0, 2, 8, 8);
  const Status refused = enlarger.upscale_into(input, output);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_TRUE(enlarger.upscale_into(input, crop(memory.view(), 0, 8, 8, 8)));
  Image other = picture({8, 8, 3, DType::u8});
  EXPECT_EQ(enlarger.upscale_into(input, other.view()).error().code, ErrorCode::usage) << "other channels";
}

}  // namespace
}  // namespace upres::test
