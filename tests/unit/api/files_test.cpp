// From picture file to picture file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "unit/api/samples.h"

#ifdef UPRES_WITH_PICTURES
#include "image/picture.h"
#include "image/write.h"

namespace upres::test {
namespace {

using testing::HasSubstr;

void write_picture(const std::filesystem::path& path, const Image& image) {
  ASSERT_TRUE(image::write(image.view(), image.metadata, image::format_from_name(path).value(), {}, path,
                           IfExists::replace));
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    Image source = picture({20, 14, 3, DType::u16});
    source.metadata.x_pixels_per_mm = 10;
    source.metadata.y_pixels_per_mm = 10;
    write_picture(input_, source);
  }

  // The error's message, and that nothing was written.
  std::string error(const std::filesystem::path& from, const std::filesystem::path& to,
                    const FileOptions& options = {}) {
    const size_t files = folder_.file_count();
    const auto done = enlarger_.upscale_file(from, to, options);
    EXPECT_FALSE(done);
    EXPECT_EQ(folder_.file_count(), files);
    return done ? "" : done.error().message;
  }

  TemporaryFolder folder_;
  std::filesystem::path input_ = folder_ / "in.png";
  Upscaler enlarger_ = upscaler();
};

TEST_F(Files, KeepBitsAndMetadata) {
  const auto done = enlarger_.upscale_file(input_, folder_ / "out.tif");
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->input, (Extent{20, 14}));
  EXPECT_EQ(done->output, (Extent{40, 28}));
  EXPECT_GT(done->seconds, 0);
  const auto result = image::read(folder_ / "out.tif");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->image.shape, (ImageShape{40, 28, 3, DType::u16}));
  EXPECT_NEAR(result->image.metadata.x_pixels_per_mm.value(), 10, 0.1);
  EXPECT_EQ(result->image.bytes, enlarger_.upscale(image::read(input_)->image.view())->bytes);
}

TEST_F(Files, TakeSizeFormatAndQuality) {
  FileOptions options;
  options.upscale.output_extent = Extent{25, 20};
  options.format = "jpeg";
  options.quality = 50;
  ASSERT_TRUE(enlarger_.upscale_file(input_, folder_ / "out", options));
  const auto result = image::read(folder_ / "out");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->format, image::Format::jpeg);
  EXPECT_EQ(result->image.shape, (ImageShape{25, 20, 3, DType::u8}));
}

TEST_F(Files, MistakesLeaveNothingBehind) {
  EXPECT_THAT(error(folder_ / "missing.png", folder_ / "out.png"), HasSubstr("cannot read"));
  EXPECT_THAT(error(input_, folder_ / "out"), HasSubstr("extension"));
  EXPECT_THAT(error(input_, folder_ / "out.png", {.format = "bmp"}), HasSubstr("bmp"));
  EXPECT_THAT(error(input_, folder_ / "out.png", {.format = "jpeg"}), HasSubstr("name of a PNG file"));
  EXPECT_THAT(error(input_, folder_ / "no" / "out.png"), HasSubstr("no folder"));
  EXPECT_THAT(error(input_, folder_ / "out.jpg", {.quality = 101}), HasSubstr("quality 101"));
  EXPECT_THAT(error(input_, input_, {.overwrite = true}), HasSubstr("input itself"));
  EXPECT_THAT(error(input_, folder_ / "out.png", {.upscale = {.scale = 3}}), HasSubstr("scale 3"));
  EXPECT_THAT(error(input_, folder_ / "out.png", {.upscale = {.output_dtype = DType::f32}}),
              HasSubstr("f32"));
  EXPECT_THAT(error(input_, folder_ / "out.png", {.upscale = {.output_dtype = static_cast<DType>(50)}}),
              HasSubstr("50"));
  EXPECT_THAT(error("", folder_ / "out.png"), HasSubstr("the input's name is empty"));
  EXPECT_THAT(error(input_, ""), HasSubstr("the output's name is empty"));
  store(folder_ / "text.png", bytes_of("hello"));
  EXPECT_THAT(error(folder_ / "text.png", folder_ / "out.png"), HasSubstr("not a picture"));
  write_picture(folder_ / "clear.png", picture({4, 4, 4, DType::u8}));
  EXPECT_THAT(error(folder_ / "clear.png", folder_ / "out.jpg"), HasSubstr("no alpha"));
}

TEST_F(Files, NulInNamesIsRefused) {
  using namespace std::string_literals;
  const std::filesystem::path from = input_.native() + "\0.png"s;
  const std::filesystem::path to = (folder_ / "out").native() + "\0.png"s;
  EXPECT_THAT(error(from, folder_ / "out.png"), HasSubstr("the input's name"));
  EXPECT_THAT(error(input_, to), HasSubstr("the output's name"));
  const auto refused = enlarger_.submit_file(input_, to)->wait();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_EQ(folder_.file_count(), 1U);
}

TEST_F(Files, ExistingOnesAreKeptUnlessAskedFor) {
  store(folder_ / "out.png", bytes_of("mine"));
  EXPECT_THAT(error(input_, folder_ / "out.png"), HasSubstr("exists"));
  EXPECT_EQ(load(folder_ / "out.png"), bytes_of("mine"));
  EXPECT_TRUE(enlarger_.upscale_file(input_, folder_ / "out.png", {.overwrite = true}));
  EXPECT_TRUE(image::read(folder_ / "out.png"));
}

TEST_F(Files, SeveralInFlight) {
  std::vector<Pending<FileReport>> pending;
  for (const char* name : {"a.png", "b.jpg", "c.webp", "missing/d.png"})
    pending.push_back(enlarger_.submit_file(input_, folder_ / name).value());
  for (size_t i = 0; i < pending.size(); ++i) EXPECT_EQ(pending[i].wait().has_value(), i < 3);
  EXPECT_EQ(folder_.file_count(), 4U);
}

TEST_F(Files, CancellingLeavesNothingBehind) {
  FileOptions options;
  options.upscale.cancelled = [] { return true; };
  const auto stopped = enlarger_.upscale_file(input_, folder_ / "out.png", options);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(folder_.file_count(), 1U);
}

}  // namespace
}  // namespace upres::test

#endif
