#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/half.h"
#include "base/hash.h"
#include "base/image.h"
#include "base/log.h"

namespace upres {
namespace {

TEST(Half, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = half_to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value))));
    } else {
      EXPECT_EQ(float_to_half(value), half);
    }
  }
}

// Between neighbours the nearer one is taken, and the even one at the midpoint.
TEST(Half, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bffU; ++bits) {
    const auto low = static_cast<uint16_t>(bits);
    const auto high = static_cast<uint16_t>(bits + 1);
    const float middle = (half_to_float(low) + half_to_float(high)) / 2;
    EXPECT_EQ(float_to_half(middle), (bits & 1U) != 0 ? high : low) << bits;
    EXPECT_EQ(float_to_half(std::nextafter(middle, 0.0F)), low) << bits;
    EXPECT_EQ(float_to_half(std::nextafter(middle, 1e9F)), high) << bits;
  }
}

TEST(Half, SpecialValues) {
  EXPECT_EQ(float_to_half(65519.0F), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0F), 0x7c00);
  EXPECT_EQ(float_to_half(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(float_to_half(-0.0F), 0x8000);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24F);
  EXPECT_EQ(float_to_half(0x1p-26F), 0);
}

TEST(Hash, DiffersBySeedAndPrintsAsHex) {
  EXPECT_EQ(hash_text("abc"), hash_text("abc"));
  EXPECT_NE(hash_text("abc"), hash_text("abc", 1));
  EXPECT_EQ(hex(0x0123456789abcdefULL), "0123456789abcdef");
}

TEST(Error, GainsContextAndListsReasons) {
  const Error error = Error{ErrorCode::device, "no device", {"gpu 0: too old"}}.in_context("while opening");
  EXPECT_EQ(error.message, "while opening: no device");
  EXPECT_EQ(error.text(), "while opening: no device\n  gpu 0: too old");
  EXPECT_EQ(error.code, ErrorCode::device);
}

TEST(Log, DropsWhatItsSinkThrows) {
  int calls = 0;
  const Log log([&](LogLevel level, std::string_view) {
    ++calls;
    if (level == LogLevel::warning) throw std::runtime_error("no room");
    throw 1;
  });
  EXPECT_NO_THROW(log.warning("a std::exception"));
  EXPECT_NO_THROW(log.info("anything else"));
  EXPECT_NO_THROW(log.debug("anything else"));
  EXPECT_EQ(calls, 3);
}

TEST(Image, RefusesUnknownSamples) {
  for (const int number : {-1, 5, 99}) {
    const auto refused = Image::create({4, 4, 3, static_cast<DType>(number)});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
    EXPECT_NE(refused.error().message.find("type " + std::to_string(number)), std::string::npos);
  }
}

TEST(Image, CropKeepsTheStride) {
  Image image = Image::create({5, 4, 3, DType::u8}).value();
  image.bytes[static_cast<size_t>(2 * 15 + 3 * 3)] = std::byte{7};
  const ImageView part = crop(std::as_const(image).view(), 3, 2, 2, 2);
  EXPECT_EQ(part.row(0)[0], std::byte{7});
  EXPECT_EQ(part.row(1).size(), 6U);
  EXPECT_EQ(part.row_stride_bytes, 15U);
}

TEST(Image, RefusesImpossibleSizes) {
  EXPECT_FALSE(Image::create({0, 4, 3, DType::u8}));
  EXPECT_FALSE(Image::create({4, 4, 5, DType::u8}));
  const auto huge = Image::create({2000000000, 2000000000, 4, DType::u16});
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::input);
}

}  // namespace
}  // namespace upres
