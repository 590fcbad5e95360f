// Sizes of results, and the ways to watch and stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "unit/api/samples.h"

namespace upres::test {
namespace {

using testing::HasSubstr;

UpscaleOptions scale(double factor) {
  UpscaleOptions options;
  options.scale = factor;
  return options;
}

UpscaleOptions to(const Extent& extent) {
  UpscaleOptions options;
  options.output_extent = extent;
  return options;
}

TEST(Sizes, FollowFromScaleOrExtent) {
  const Upscaler enlarger = upscaler("espcn_x3");
  EXPECT_EQ(enlarger.output_extent({10, 7}), (Extent{30, 21}));
  EXPECT_EQ(enlarger.output_extent({10, 7}, scale(1.5)), (Extent{15, 11}));
  EXPECT_EQ(enlarger.output_extent({10, 7}, scale(3)), (Extent{30, 21}));
  EXPECT_EQ(enlarger.output_extent({10, 7}, to({13, 21})), (Extent{13, 21}));
  Upscaler used = upscaler();
  const Image source = picture({10, 7, 3, DType::u8});
  EXPECT_EQ(used.upscale(source.view(), scale(1.5))->shape, (ImageShape{15, 11, 3, DType::u8}));
  EXPECT_EQ(used.upscale(source.view(), to({11, 14}))->shape, (ImageShape{11, 14, 3, DType::u8}));
  EXPECT_EQ(used.upscale(picture({1, 1, 1, DType::u8}).view())->shape, (ImageShape{2, 2, 1, DType::u8}));
}

TEST(Sizes, BeyondTheModelAreRefused) {
  const Upscaler enlarger = upscaler();
  const auto error = [&](const Extent& input, const UpscaleOptions& options) {
    const auto extent = enlarger.output_extent(input, options);
    EXPECT_FALSE(extent);
    EXPECT_TRUE(extent || extent.error().code == ErrorCode::usage);
    return extent ? "" : extent.error().message;
  };
  EXPECT_THAT(error({10, 7}, scale(2.5)), HasSubstr("more than the 2 that model espcn_x2 does"));
  for (const double factor : {0.5, 1.0, -2.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(error({10, 7}, scale(factor)), HasSubstr("not above 1"));
  EXPECT_THAT(error({10, 7}, to({21, 14})), HasSubstr("21x14"));
  EXPECT_THAT(error({10, 7}, to({0, 14})), HasSubstr("0x14"));
  EXPECT_THAT(error({0, 7}, {}), HasSubstr("0x7"));
  for (const Extent& large : {Extent{2000000000, 7}, Extent{7, std::numeric_limits<int>::max()}}) {
    EXPECT_THAT(error(large, {}), HasSubstr("too large"));
    EXPECT_THAT(error(large, scale(1.01)), HasSubstr("too large"));
    EXPECT_THAT(error(large, to({20, 20})), HasSubstr("too large"));
  }
  UpscaleOptions both = scale(2);
  both.output_extent = Extent{20, 14};
  EXPECT_THAT(error({10, 7}, both), HasSubstr("exclude each other"));
}

TEST(Callbacks, TellProgressAndStop) {
  UpscalerOptions small_tiles;
  small_tiles.tile_px = 32;
  Upscaler enlarger = upscaler("espcn_x2", small_tiles);
  const Image source = picture({70, 50, 3, DType::u8});
  std::vector<int64_t> seen;
  UpscaleOptions options;
  options.progress = [&](int64_t done_px, int64_t total_px) {
    EXPECT_EQ(total_px, 140 * 100);
    seen.push_back(done_px);
  };
  ASSERT_TRUE(enlarger.upscale(source.view(), options));
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_GT(seen.size(), 2U);
  EXPECT_EQ(seen.back(), 140 * 100);
  options.cancelled = [&] { return seen.size() > 6; };
  const auto stopped = enlarger.upscale(source.view(), options);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_TRUE(enlarger.upscale(source.view())) << "works on afterwards";
}

TEST(Callbacks, ExceptionsAreErrors) {
  Upscaler enlarger = upscaler();
  const Image source = picture({20, 10, 3, DType::u8});
  UpscaleOptions options;
  options.progress = [](int64_t, int64_t) { throw std::runtime_error("mine"); };
  EXPECT_EQ(enlarger.upscale(source.view(), options).error().code, ErrorCode::usage);
  options.progress = {};
  options.cancelled = []() -> bool { throw 7; };
  const auto refused = enlarger.upscale(source.view(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_THAT(refused.error().message, HasSubstr("callback"));
  options.cancelled = {};
  options.progress = [](int64_t, int64_t) { throw 7; };
  EXPECT_EQ(enlarger.upscale(source.view(), options).error().code, ErrorCode::usage);
  EXPECT_EQ(enlarger.submit(source.view(), options)->wait().error().code, ErrorCode::usage);
}

// Throws something of its own when the library copies it.
struct CopyThrows {
  CopyThrows() = default;
  CopyThrows(const CopyThrows& /*other*/) { throw 7; }
  CopyThrows(CopyThrows&&) noexcept = default;
  CopyThrows& operator=(const CopyThrows&) = delete;
  CopyThrows& operator=(CopyThrows&&) = delete;
  ~CopyThrows() = default;
  bool operator()() const { return false; }
};

TEST(Callbacks, ThatCannotBeCopiedAreErrors) {
  Upscaler enlarger = upscaler();
  const Image source = picture({20, 10, 3, DType::u8});
  UpscaleOptions options;
  options.cancelled = CopyThrows();
  const auto refused = enlarger.submit(source.view(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_TRUE(enlarger.upscale(source.view(), options)) << "which copies nothing";
}

}  // namespace
}  // namespace upres::test
