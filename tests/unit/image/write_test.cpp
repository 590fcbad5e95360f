#include "image/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "image/picture.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// A limit on file sizes stands in for a full disk.
TEST(Write, AFullDiskIsAnErrorWithoutTrace) {
  const TemporaryFolder folder;
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Image image = noise({64, 64, 3, DType::u8}, 1);
  const Status written = write(image.view(), {}, Format::png, {}, folder / "b.png", IfExists::fail);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("cannot write "));
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(Write, FailuresLeaveNoFile) {
  const TemporaryFolder folder;
  const Image alpha = noise({4, 4, 4, DType::u8}, 1);
  const Status refused = write(alpha.view(), {}, Format::jpeg, {}, folder / "a.jpg", IfExists::fail);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a.jpg: JPEG has no alpha channel"));
  EXPECT_EQ(folder.file_count(), 0U);
  const Status missing = write(alpha.view(), {}, Format::png, {}, folder / "no" / "a.png", IfExists::fail);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("there is no folder"));
}

TEST(Write, TheFormatAskedForIsWritten) {
  const TemporaryFolder folder;
  const Image image = ramp({16, 16, 3, DType::u8});
  for (const Format format : {Format::jpeg, Format::png, Format::webp, Format::tiff}) {
    const fs::path path = folder / (std::string("a").append(extension(format)));
    ASSERT_TRUE(write(image.view(), {}, format, {}, path, IfExists::fail));
    EXPECT_EQ(read(path)->format, format);
  }
  EXPECT_EQ(folder.file_count(), 4U);
}

}  // namespace
}  // namespace upres::image::test
