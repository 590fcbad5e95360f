#include "image/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/picture.h"
#include "support/full_disk.h"
#include "unit/image/samples.h"

namespace upres::image::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Write, AFullDiskIsAnErrorWithoutTrace) {
  const TemporaryFolder folder;
  const Image image = noise({64, 64, 3, DType::u8}, 1);
  const Status written = [&] {
    const upres::test::FullDisk full(1000);
    return write(image.view(), {}, Format::png, {}, folder / "b.png", IfExists::fail);
  }();
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
