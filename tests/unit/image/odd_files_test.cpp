// The fate of every file in the folder of odd pictures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "image/picture.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

struct Odd {
  const char* name;
  int width_px, height_px, channels;
  DType dtype;
  const char* error;  // part of the message; null if the file is fine
};
constexpr DType k8 = DType::u8;
constexpr DType k16 = DType::u16;

Odd fine(const char* name, int width_px, int height_px, int channels, DType dtype = k8) {
  return {name, width_px, height_px, channels, dtype, nullptr};
}
Odd refused(const char* name, const char* error) { return {name, 0, 0, 0, k8, error}; }

std::vector<Odd> all() {
  return {
      fine("basn2c16.png", 32, 32, 3, k16),
      fine("basi6a16.png", 32, 32, 4, k16),
      fine("basn3p04.png", 32, 32, 3),
      fine("basn0g01.png", 32, 32, 1),
      fine("basn4a08.png", 32, 32, 2),
      fine("basi2c08.png", 32, 32, 3),
      fine("tp1n3p08.png", 32, 32, 4),
      fine("s01n3p01.png", 1, 1, 3),
      fine("g03n2c08.png", 32, 32, 3),
      refused("xcsn0g01.png", "wrong checksum of its IDAT chunk"),
      refused("xdtn0g01.png", "no picture data"),
      fine("icc_profile.png", 57, 57, 4),
      refused("truncated_image.png", "is a damaged PNG file"),
      fine("transparent.png", 200, 150, 4),
      refused("pil_sample_cmyk.jpg", "is a CMYK picture (JPEG); convert it to RGB first"),
      fine("cat.jpg", 320, 240, 3),
      fine("hopper_orientation_6.jpg", 128, 128, 3),
      refused("truncated_jpeg.jpg", "is a damaged JPEG file"),
      fine("hopper_gray.jpg", 128, 128, 1),
      refused("anim.webp", "is an animated WebP with 6 frames"),
      fine("lossless1.webp", 1000, 307, 4),
      fine("lossy_alpha4.webp", 100, 100, 4),
      fine("small_1x1.webp", 1, 1, 3),
      fine("atari_8bit_font_revised.png", 999, 9, 1),
      refused("Bad_width.bmp", "is a BMP file; upres reads JPEG, PNG, WebP and TIFF"),
      refused("png-truncated.png", "is a damaged PNG file"),
      refused("ball.png", "is an animated PNG"),
  };
}

class OddFile : public testing::TestWithParam<Odd> {};

TEST_P(OddFile, IsReadOrRefusedByName) {
  const char* folder = std::getenv("UPRES_TEST_DATA");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "UPRES_TEST_DATA is not set";
  const Odd& odd = GetParam();
  const std::filesystem::path path = std::filesystem::path(folder) / "images" / "odd" / odd.name;
  const Result<PictureInfo> info = probe(path);
  const Result<Picture> picture = read(path);
  if (odd.error == nullptr) {
    ASSERT_TRUE(picture.has_value()) << picture.error().message;
    const ImageShape expected = {odd.width_px, odd.height_px, odd.channels, odd.dtype};
    EXPECT_EQ(picture->image.shape, expected);
    EXPECT_EQ(picture->image.bytes.size(), expected.row_bytes() * static_cast<size_t>(odd.height_px));
    ASSERT_TRUE(info.has_value());
    EXPECT_EQ(info->shape, expected);
    EXPECT_EQ(info->format, picture->format);
  } else {
    ASSERT_FALSE(picture.has_value());
    EXPECT_EQ(picture.error().code, ErrorCode::input);
    EXPECT_THAT(picture.error().message, testing::HasSubstr(odd.error));
    EXPECT_THAT(picture.error().message, testing::HasSubstr(odd.name));
  }
}

INSTANTIATE_TEST_SUITE_P(All, OddFile, testing::ValuesIn(all()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST(OddFiles, EveryOneIsExpected) {
  const char* folder = std::getenv("UPRES_TEST_DATA");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "UPRES_TEST_DATA is not set";
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(folder) / "images" / "odd")) {
    const auto odds = all();
    EXPECT_TRUE(std::any_of(odds.begin(), odds.end(), [&](const Odd& odd) {
      return entry.path().filename() == odd.name;
    })) << entry.path();
  }
}

}  // namespace
}  // namespace upres::image::test
