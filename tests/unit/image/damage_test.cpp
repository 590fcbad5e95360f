// Damaged and hostile files: an error, or a picture where no damage can be seen, but never a crash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "image/picture.h"
#include "image/write.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

struct Named {
  std::string name;
  Bytes file;
};

int pattern(int x, int y, int channel) { return (x * 31 + y * 17 + channel * 7) * 26544 >> 4; }

// Small files of many kinds with metadata: our own, and those of the data folder.
std::vector<Named> intact_files() {
  std::vector<Named> files;
  const Metadata metadata = {make_icc("RGB ", 500), make_exif(6, false), bytes_of("<x:xmpmeta/>"), 3.0, 3.0};
  for (const Format format : {Format::jpeg, Format::png, Format::webp, Format::tiff}) {
    for (const int channels : {3, 4}) {
      if (format == Format::jpeg && channels == 4) continue;
      files.push_back({std::string(name(format)) + std::to_string(channels),
                       file_of(noise({48, 40, channels, DType::u8}, 1), format, metadata)});
    }
  }
  files.push_back({"interlaced", make_png({50, 40, 16, 6, true, {}, {}}, pattern)});
  files.push_back(
      {"indexed", make_png({50, 40, 4, 3, false, {{"PLTE", Bytes(48, std::byte{9})}}, {}}, pattern)});
  files.push_back({"plain tiff", make_tiff({tiff_page(40, 30, 1, {16}, Bytes(2400, std::byte{5}))}, true)});
  const char* folder = std::getenv("UPRES_TEST_DATA");
  if (folder == nullptr || *folder == '\0') return files;
  for (const char* name : {"cat.jpg", "hopper_gray.jpg", "lossless1.webp", "lossy_alpha4.webp",
                           "basi6a16.png", "tp1n3p08.png"}) {
    files.push_back({name, load(std::filesystem::path(folder) / "images/odd" / name)});
  }
  return files;
}

TEST(Damage, IntactFilesAreRead) {
  for (const Named& intact : intact_files()) {
    const auto picture = read(intact.file, intact.name);
    EXPECT_TRUE(picture) << picture.error().message;
  }
}

TEST(Damage, TruncatedFilesAreErrors) {
  for (const Named& intact : intact_files()) {
    for (size_t part = 0; part < 16; ++part) {
      const auto cut = std::span(intact.file).first(intact.file.size() * part / 16);
      const auto picture = read(Bytes(cut.begin(), cut.end()), intact.name);
      EXPECT_FALSE(picture) << intact.name << " cut to " << part << "/16";
      if (!picture) {
        EXPECT_EQ(picture.error().code, ErrorCode::input);
        EXPECT_EQ(picture.error().message.find('\n'), std::string::npos) << picture.error().message;
      }
    }
  }
}

// One byte missing at the end: every format but JPEG, whose pixels may be complete by then, notices.
TEST(Damage, TheLastByteCounts) {
  for (const Named& intact : intact_files()) {
    const bool is_jpeg = intact.file.front() == std::byte{0xff};
    const auto rest = std::span(intact.file).first(intact.file.size() - 1);
    const Bytes cut(rest.begin(), rest.end());
    if (is_jpeg) continue;
    EXPECT_FALSE(read(cut, intact.name)) << intact.name;
  }
}

TEST(Damage, ChangedBytesNeverCrash) {
  std::mt19937 random(20);
  for (const Named& intact : intact_files()) {
    for (int round = 0; round < 60; ++round) {
      Bytes changed = intact.file;
      const size_t reach = round % 2 == 0 ? std::min<size_t>(changed.size(), 200) : changed.size();
      for (int flips = 0; flips < 3; ++flips)
        changed[random() % reach] = static_cast<std::byte>(random() & 0xffU);
      changed.shrink_to_fit();
      const auto info = probe(changed, intact.name);
      const auto picture = read(changed, intact.name);
      if (!picture) continue;
      ASSERT_TRUE(info);
      EXPECT_EQ(info->shape, picture->image.shape);
      EXPECT_EQ(picture->image.bytes.size(),
                picture->image.shape.row_bytes() * static_cast<size_t>(picture->image.shape.height_px));
    }
  }
}

// Every checksum covers its chunk, so no change of a PNG passes.
TEST(Damage, ChangedPngIsAlwaysNoticed) {
  const Bytes intact = file_of(noise({20, 20, 3, DType::u8}, 2), Format::png);
  for (size_t at = 0; at < intact.size(); ++at) {
    Bytes changed = intact;
    changed[at] ^= std::byte{0x10};
    EXPECT_FALSE(read(changed, "a.png")) << "byte " << at;
  }
}

// libjpeg goes on with grey or shifted pixels after most errors, and only warns.
TEST(Damage, BrokenJpegCodesAreErrors) {
  const Bytes intact = file_of(noise({200, 200, 3, DType::u8}, 3), Format::jpeg);
  const auto middle = static_cast<ptrdiff_t>(intact.size() / 2);
  Bytes shortened = intact;
  shortened.erase(shortened.begin() + middle, shortened.end() - 2);
  const auto picture = read(shortened, "shortened.jpg");
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().message.find("cannot read shortened.jpg: it is a damaged JPEG file (VipsJpeg: "),
            0U)
      << picture.error().message;
}

TEST(Damage, FillerInJpegIsOnlyMentioned) {
  const Image image = ramp({32, 32, 3, DType::u8});
  const Bytes intact = encode(image.view(), {}, Format::jpeg).value();
  Bytes filled = intact;
  filled.insert(filled.end() - 2, 7, std::byte{0x41});
  LogLines lines;
  const auto picture = read(filled, "a.jpg", lines.log);
  ASSERT_TRUE(picture) << picture.error().message;
  EXPECT_EQ(picture->image.bytes, read(intact, "b.jpg")->image.bytes);
}

// Decoders and libvips would like to write their warnings to standard error.
TEST(Damage, NothingIsPrinted) {
  std::vector<Bytes> files;
  files.push_back(file_of(noise({200, 200, 3, DType::u8}, 3), Format::jpeg));
  files.back().erase(files.back().begin() + 9000, files.back().end() - 2);
  files.push_back(make_png({4, 4, 8, 0, false, {{"iCCP", bytes_of("not a profile")}}, {}}, pattern));
  TiffPage page = tiff_page(4, 4, 1, {8}, Bytes(16));
  page.tags.push_back({60000, 3, {1, 2, 3}});
  page.tags.push_back({34675, 7, {1, 2, 3}});
  files.push_back(make_tiff({page}));
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  std::vector<bool> is_read;
  for (const Bytes& file : files) is_read.push_back(read(file, "a").has_value());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(is_read, (std::vector<bool>{false, true, true}));
}

TEST(Damage, ABrokenProfileIsTold) {
  LogLines lines;
  const Bytes file = make_png({4, 4, 8, 0, false, {{"iCCP", bytes_of("not a profile")}}, {}}, pattern);
  ASSERT_TRUE(read(file, "a.png", lines.log));
  ASSERT_FALSE(lines.warnings.empty());
  EXPECT_EQ(lines.warnings.front(),
            "a.png: its colour profile is not passed on: it is damaged or for another kind of picture");
}

}  // namespace
}  // namespace upres::image::test
