// Files that are no pictures of ours, and names of every sort.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "image/picture.h"
#include "image/write.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::HasSubstr;

std::string error_of(std::string_view content) {
  const Bytes file = bytes_of(content);
  const auto picture = read(file, "file");
  const auto info = probe(file, "file");
  EXPECT_FALSE(picture);
  EXPECT_FALSE(info);
  if (picture || info) return "";
  EXPECT_EQ(picture.error().code, ErrorCode::input);
  EXPECT_EQ(picture.error().message, info.error().message);
  EXPECT_THAT(picture.error().message, testing::Not(HasSubstr("\n")));
  return picture.error().message;
}

TEST(OtherFiles, AreNamed) {
  EXPECT_EQ(error_of("GIF89a\1\0\1\0"sv),
            "cannot read file: it is a GIF file; upres reads JPEG, PNG, WebP and TIFF");
  EXPECT_THAT(error_of("BM      "), HasSubstr("is a BMP file"));
  EXPECT_THAT(error_of("<?xml version='1.0'?><svg xmlns='x'/>"), HasSubstr("is an SVG file"));
  EXPECT_THAT(error_of("%PDF-1.4"), HasSubstr("is a PDF file"));
  EXPECT_THAT(error_of("\0\0\0\x18"
                       "ftypheic\0\0\0\0"sv),
              HasSubstr("is a HEIC file"));
  EXPECT_THAT(error_of("\0\0\0\x18"
                       "ftypavif\0\0\0\0"sv),
              HasSubstr("is an AVIF file"));
  EXPECT_THAT(error_of("\xff\x0a"), HasSubstr("is a JPEG XL file"));
  EXPECT_THAT(error_of("8BPS\0\1"sv), HasSubstr("is a Photoshop file"));
  EXPECT_THAT(error_of("RIFF\4\0\0\0WAVE"sv), HasSubstr("is not a picture"));
  EXPECT_EQ(error_of("hello"), "cannot read file: it is not a picture; upres reads JPEG, PNG, WebP and TIFF");
  EXPECT_EQ(error_of("\0"sv), "cannot read file: it is not a picture; upres reads JPEG, PNG, WebP and TIFF");
  EXPECT_EQ(error_of(""), "cannot read file: it is empty");
}

TEST(OtherFiles, HeadsAlone) {
  EXPECT_THAT(error_of("\xff\xd8\xff"), HasSubstr("is a damaged JPEG file"));
  EXPECT_THAT(error_of("\xff\xd8\xff\xd9"), HasSubstr("is a damaged JPEG file"));
  EXPECT_THAT(error_of("\x89PNG\r\n\x1a\n"), HasSubstr("is a damaged PNG file"));
  EXPECT_THAT(error_of("RIFF\4\0\0\0WEBP"sv), HasSubstr("is a damaged WebP file"));
  EXPECT_THAT(error_of("II*\0"sv), HasSubstr("is a damaged TIFF file"));
  EXPECT_THAT(error_of("MM\0*\xff\xff\xff\xff"sv), HasSubstr("is a damaged TIFF file"));
}

TEST(OtherFiles, JpegKinds) {
  const auto jpeg = [](std::string_view frame) { return "\xff\xd8"s + std::string(frame) + "\xff\xda\0\2"s; };
  EXPECT_THAT(error_of(jpeg("\xff\xc1\0\x0b\x0c\0\x10\0\x10\1\0\0\0"sv)), HasSubstr("12-bit samples"));
  EXPECT_THAT(error_of(jpeg("\xff\xc0\0\x0b\x08\0\x10\0\x10\4\0\0\0"sv)),
              HasSubstr("is a CMYK picture (JPEG)"));
  EXPECT_THAT(error_of(jpeg("\xff\xc0\0\x0b\x08\0\x10\0\x10\2\0\0\0"sv)), HasSubstr("2 components"));
  EXPECT_THAT(error_of(jpeg("\xff\xc0\0\x0b\x08\0\0\0\x10\1\0\0\0"sv)), HasSubstr("its size is 16x0"));
  EXPECT_THAT(error_of(jpeg("")), HasSubstr("no frame header"));
}

TEST(Paths, WhatIsNotAFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(read(folder / "missing.png").error().message, HasSubstr("missing.png: No such file"));
  EXPECT_THAT(read(folder.path()).error().message, HasSubstr("it is a folder"));
  EXPECT_THAT(probe(folder.path()).error().message, HasSubstr("it is a folder"));
  store(folder / "empty.png", {});
  EXPECT_THAT(read(folder / "empty.png").error().message, HasSubstr("empty.png: it is empty"));
  EXPECT_THAT(read(folder / "empty.png" / "a.png").error().message, HasSubstr("Not a directory"));
}

TEST(Paths, NamesOfEverySort) {
  const TemporaryFolder folder;
  const Image image = noise({5, 4, 3, DType::u8}, 1);
  const std::vector<std::string> names = {"a[page=1].png",
                                          "100%.png",
                                          "%s%n.png",
                                          "a b.png",
                                          " ",
                                          "-x.png",
                                          "a\nb.png",
                                          "\xff\xfe.png",
                                          "\xc3\xb1\xe3\x83\x86.png",
                                          "n\xcc\x83.png",
                                          "'\"$(x).png",
                                          std::string(251, 'x') + ".png",
                                          "a:b.png",
                                          "vips-1.tif[compression=none]",
                                          "\\.png"};
  for (const std::string& name : names) {
    for (const Format format : {Format::png, Format::tiff}) {
      const Status written = write(image.view(), {}, format, {}, folder / name, IfExists::replace);
      ASSERT_TRUE(written) << written.error().message;
      const auto picture = read(folder / name);
      ASSERT_TRUE(picture) << picture.error().message;
      EXPECT_EQ(picture->image.bytes, image.bytes);
      EXPECT_EQ(probe(folder / name)->shape, image.shape);
    }
  }
  EXPECT_EQ(folder.file_count(), names.size());
  store(folder / "a\nb.gif", bytes_of("GIF89a"));
  EXPECT_THAT(read(folder / "a\nb.gif").error().message, HasSubstr("a\\nb.gif: it is a GIF"));
}

TEST(Paths, PipesWork) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Image image = noise({300, 200, 3, DType::u8}, 2);
  const auto file = encode(image.view(), {}, Format::png).value();
  std::thread writer([&] { store(pipe, file); });
  const auto picture = read(pipe);
  writer.join();
  ASSERT_TRUE(picture) << picture.error().message;
  EXPECT_EQ(picture->image.bytes, image.bytes);
}

TEST(Threads, ManyPicturesAtOnce) {
  set_threads(2);
  const Image image = noise({120, 80, 3, DType::u8}, 3);
  Bytes broken = file_of(image, Format::jpeg);
  broken.resize(600);
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        const Format format = t % 2 == 0 ? Format::png : Format::tiff;
        const auto file = encode(image.view(), {}, format);
        const auto picture = file ? read(*file, "a") : Result<Picture>(tl::unexpected(file.error()));
        if (picture && picture->image.bytes == image.bytes && !read(broken, "broken")) ++good[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(good, testing::Each(8));
}

}  // namespace
}  // namespace upres::image::test
