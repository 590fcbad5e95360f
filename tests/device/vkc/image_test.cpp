#include <vkc/native.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "test_device.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::Each;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc::ImageFormat;
using vkc::ImageUse;
using vkc::KernelGroupSize;
using vkc_test::error_of;

struct Float2 {
  float x, y;
};
struct Float4 {
  float r, g, b, a;
};

class ImageTest : public vkc_test::DeviceTest {
 protected:
  vkc::Image image(ImageFormat format, std::uint32_t width, std::uint32_t height,
                   const vkc::ImageOptions& options = {.name = "test"}) {
    auto result = vkc::Image::create_2d(device(), format, width, height, options);
    EXPECT_TRUE(result) << result.error().message;
    return std::move(result.value());
  }
  vkc::Image volume(ImageFormat format, const vkc::Extent& extent, const vkc::ImageOptions& options = {}) {
    auto result = vkc::Image::create_3d(device(), format, extent, options);
    EXPECT_TRUE(result) << result.error().message;
    return std::move(result.value());
  }
  vkc::Sampler sampler(const vkc::SamplerOptions& options = {}) {
    auto result = vkc::Sampler::create(device(), options);
    EXPECT_TRUE(result) << result.error().message;
    return std::move(result.value());
  }
  template <typename T>
  std::vector<T> texels_of(const vkc::Image& from) {
    auto values = vkc::download<T>(device(), from);
    EXPECT_TRUE(values) << values.error().message;
    return values.value_or(std::vector<T>());
  }
  // What the sampler reads at the places, through a kernel.
  std::vector<Float4> sampled(const vkc::Image& picture, const vkc::Sampler& by,
                              const std::vector<Float2>& places) {
    const vkc::Kernel sample = kernel(kernels::sample);
    const vkc::Buffer from = buffer_of(places), to = buffer(places.size() * sizeof(Float4));
    const struct { std::uint32_t count; } push = {static_cast<std::uint32_t>(places.size())};
    vkc::Commands recorded = commands();
    const auto status = sample.dispatch(
        recorded, vkc::group_count({push.count}, sample.group_size()),
        {{"picture", picture}, {"picture_sampler", by}, {"places", from}, {"colors", to}}, push);
    EXPECT_TRUE(status) << status.error().message;
    run(recorded);
    return values_of<Float4>(to);
  }
  // Of a dispatch alone in its commands.
  std::string dispatch_error(const vkc::Kernel& kernel, vkc::ListView<vkc::Binding> bindings,
                             const vkc::PushConstants& push = {},
                             ErrorCode code = ErrorCode::invalid_argument) {
    vkc::Commands recorded = commands();
    return error_of(kernel.dispatch(recorded, {}, bindings, push), code);
  }
};

std::vector<std::uint8_t> random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

TEST_P(ImageTest, TellsWhatItIs) {
  const vkc::Image flat = image(ImageFormat::rgba8_unorm, 5, 3);
  EXPECT_EQ(flat.format(), ImageFormat::rgba8_unorm);
  EXPECT_EQ(flat.extent(), (vkc::Extent{5, 3, 1}));
  EXPECT_EQ(flat.dimensions(), 2U);
  EXPECT_EQ(flat.use(), ImageUse::storage_and_sampled);
  EXPECT_EQ(flat.size_bytes(), 60U);
  const vkc::Image solid = volume(ImageFormat::r32_sfloat, {4, 3, 1}, {.use = ImageUse::storage});
  EXPECT_EQ(solid.dimensions(), 3U);
  EXPECT_EQ(solid.size_bytes(), 48U);
  EXPECT_NE(vkc::native_handle(flat), VK_NULL_HANDLE);
  EXPECT_NE(vkc::native_view(flat), VK_NULL_HANDLE);
}

TEST_P(ImageTest, UploadAndDownloadKeepEveryTexel) {
  for (const ImageUse use : {ImageUse::storage, ImageUse::sampled, ImageUse::storage_and_sampled}) {
    for (const auto& [width, height] : {std::pair{1U, 1U}, {7U, 1U}, {1U, 13U}, {67U, 31U}}) {
      SCOPED_TRACE(std::string(to_text(use)) + " " + std::to_string(width) + "x" + std::to_string(height));
      const vkc::Image held = image(ImageFormat::rgba8_unorm, width, height, {.use = use});
      const std::vector<std::uint8_t> bytes = random_bytes(held.size_bytes());
      ASSERT_TRUE(vkc::upload(device(), held, bytes));
      EXPECT_EQ(texels_of<std::uint8_t>(held), bytes);
    }
  }
  const vkc::Image solid = volume(ImageFormat::rgba16_sfloat, {9, 7, 5});
  const std::vector<std::uint8_t> bytes = random_bytes(solid.size_bytes());
  ASSERT_TRUE(vkc::upload(device(), solid, bytes));
  EXPECT_EQ(texels_of<std::uint8_t>(solid), bytes);
}

// More than one staging piece, whose boundary lies within the image.
TEST_P(ImageTest, LargeImagesGoInPieces) {
  const vkc::Image held = image(ImageFormat::rgba32_sfloat, 1031, 2053, {.use = ImageUse::sampled});
  const std::vector<std::uint8_t> bytes = random_bytes(held.size_bytes());
  ASSERT_TRUE(vkc::upload(device(), held, bytes));
  EXPECT_EQ(texels_of<std::uint8_t>(held), bytes);
}

TEST_P(ImageTest, EveryFormatTheDeviceHasCanBeMade) {
  int stored = 0;
  for (int i = 0; i <= static_cast<int>(ImageFormat::rgba32_sfloat); ++i) {
    const auto format = static_cast<ImageFormat>(i);
    SCOPED_TRACE(to_text(format));
    const vkc::ImageFormatSupport support = vkc::format_support(physical_device(), format);
    for (const ImageUse use : {ImageUse::storage, ImageUse::sampled}) {
      const auto made = vkc::Image::create_2d(device(), format, 3, 2, {.use = use});
      if (use == ImageUse::storage ? !support.storage : !support.sampled) {
        EXPECT_THAT(error_of(made, ErrorCode::not_supported), HasSubstr(to_text(format)));
        continue;
      }
      ASSERT_TRUE(made) << made.error().message;
      stored += use == ImageUse::storage ? 1 : 0;
      const std::vector<std::uint8_t> bytes = random_bytes(made->size_bytes());
      EXPECT_EQ(made->size_bytes(), 6U * vkc::texel_bytes(format));
      ASSERT_TRUE(vkc::upload(device(), *made, bytes));
      EXPECT_EQ(texels_of<std::uint8_t>(*made), bytes);
    }
  }
  EXPECT_GE(stored, 11);  // what Vulkan promises of these
}

TEST_P(ImageTest, StorageImagesAreReadAndWritten) {
  const vkc::Kernel invert = kernel(kernels::invert, {}, KernelGroupSize{8, 4, 1});
  for (const auto& [width, height] : {std::pair{1U, 1U}, {8U, 4U}, {9U, 5U}, {61U, 37U}}) {
    const vkc::Image input = image(ImageFormat::rgba8_unorm, width, height),
                     output = image(ImageFormat::rgba8_unorm, width, height);
    const std::vector<std::uint8_t> bytes = random_bytes(input.size_bytes());
    ASSERT_TRUE(vkc::upload(device(), input, bytes));
    vkc::Commands recorded = commands();
    ASSERT_TRUE(invert.dispatch(recorded, vkc::group_count(output, invert.group_size()),
                                {{"input", input}, {"output", output}}));
    run(recorded);
    std::vector<std::uint8_t> expected;
    for (const std::uint8_t byte : bytes) expected.push_back(static_cast<std::uint8_t>(255 - byte));
    EXPECT_EQ(texels_of<std::uint8_t>(output), expected);
  }
}

TEST_P(ImageTest, GroupCountOfAnImage) {
  const vkc::Image flat = image(ImageFormat::r32_sfloat, 17, 8);
  EXPECT_EQ(vkc::group_count(flat, {8, 8, 1}), (vkc::GroupCount{3, 1, 1}));
  EXPECT_EQ(vkc::group_count(flat, {8, 0, 1}), (vkc::GroupCount{3, 0, 1}));
  const vkc::Image solid = volume(ImageFormat::r32_sfloat, {4, 5, 6});
  EXPECT_EQ(vkc::group_count(solid, {4, 4, 4}), (vkc::GroupCount{1, 2, 2}));
}

TEST_P(ImageTest, DependentDispatchesOnAnImageAreOrdered) {
  const vkc::Kernel count = kernel(kernels::count_texels);
  const vkc::Image counts = image(ImageFormat::r32_uint, 20, 20);
  ASSERT_TRUE(vkc::upload(device(), counts, std::vector<std::uint32_t>(400)));
  const vkc::GroupCount groups = vkc::group_count(counts, count.group_size());
  vkc::Commands recorded = commands();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(count.dispatch(recorded, groups, {{"counts", counts}}));
  for (int i = 0; i < 3; ++i) run(recorded);  // recorded once, submitted again
  EXPECT_THAT(texels_of<std::uint32_t>(counts), Each(150U));
  vkc::Commands by_hand = commands(vkc::Barriers::manual);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(by_hand.barrier());
    ASSERT_TRUE(count.dispatch(by_hand, groups, {{"counts", counts}}));
  }
  run(by_hand);
  EXPECT_THAT(texels_of<std::uint32_t>(counts), Each(170U));
}

// Buffer -> image -> kernel -> image -> buffer in one recording: layouts change on the way, in both modes.
TEST_P(ImageTest, CopiesAndKernelsInOneRecording) {
  const vkc::Kernel load = kernel(kernels::load_texels);
  std::vector<std::uint8_t> bytes(8 * 8 * 4);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 64; ++i) expected.push_back(16 * i + 6);
  for (const vkc::Barriers barriers : {vkc::Barriers::automatic, vkc::Barriers::manual}) {
    for (const ImageUse use : {ImageUse::sampled, ImageUse::storage_and_sampled}) {
      const vkc::Buffer from = buffer_of(bytes), sums = buffer(256), back = buffer(256);
      const vkc::Image picture = image(ImageFormat::rgba8_uint, 8, 8, {.use = use}),
                       second = image(ImageFormat::rgba8_uint, 8, 8, {.use = use});
      vkc::Commands recorded = commands(barriers);
      const auto manual_barrier = [&] {
        if (barriers == vkc::Barriers::manual) {
          ASSERT_TRUE(recorded.barrier());
        }
      };
      manual_barrier();
      ASSERT_TRUE(recorded.copy(from, picture));
      manual_barrier();
      ASSERT_TRUE(recorded.copy(picture, second));
      manual_barrier();
      ASSERT_TRUE(load.dispatch(recorded, {}, {{"picture", second}, {"sums", sums}}));
      manual_barrier();
      ASSERT_TRUE(recorded.copy(second, back));
      for (int i = 0; i < 2; ++i) {
        run(recorded);
        EXPECT_EQ(values_of<std::uint32_t>(sums), expected);
        EXPECT_EQ(values_of<std::uint8_t>(back), bytes);
      }
    }
  }
}

TEST_P(ImageTest, RegionsAreCopied) {
  const vkc::Image picture = image(ImageFormat::r8_uint, 8, 4, {.use = ImageUse::sampled});
  ASSERT_TRUE(vkc::upload(device(), picture, std::vector<std::uint8_t>(32)));
  const vkc::Buffer from = buffer_of(std::vector<std::uint8_t>{0, 0, 0, 0, 1, 2, 3, 4, 5, 6}),
                    to = buffer_of(std::vector<std::uint8_t>(8, 9));
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.copy(from.range(4, 6), picture, {{2, 1}, {3, 2}}));
  ASSERT_TRUE(recorded.copy(picture, to, {{4, 0}, {1, 4}}));
  run(recorded);
  const std::vector<std::uint8_t> expected = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0,
                                              0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(texels_of<std::uint8_t>(picture), expected);
  EXPECT_EQ(values_of<std::uint8_t>(to), (std::vector<std::uint8_t>{0, 3, 6, 0, 9, 9, 9, 9}));
}

TEST_P(ImageTest, FiltersAndAddressModes) {
  // Two texels: 0 and 1 in every channel.
  const vkc::Image picture = image(ImageFormat::rgba32_sfloat, 2, 1, {.use = ImageUse::sampled});
  ASSERT_TRUE(vkc::upload(device(), picture, std::vector<float>{0, 0, 0, 0, 1, 1, 1, 1}));
  const auto reds = [&](const vkc::SamplerOptions& options, std::initializer_list<float> xs) {
    std::vector<Float2> places;
    for (const float x : xs) places.push_back({x, 0.5F});
    std::vector<float> result;
    for (const Float4& color : sampled(picture, sampler(options), places)) result.push_back(color.r);
    return result;
  };
  using vkc::AddressMode;
  using vkc::Coordinates;
  using vkc::Filter;
  EXPECT_EQ(reds({.filter = Filter::nearest}, {-3, 0.1F, 0.4F, 0.6F, 5}),
            (std::vector<float>{0, 0, 0, 1, 1}));
  EXPECT_EQ(reds({.filter = Filter::nearest, .address_mode = AddressMode::repeat}, {1.1F, 1.9F, -0.1F}),
            (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(
      reds({.filter = Filter::nearest, .address_mode = AddressMode::mirrored_repeat}, {1.1F, 1.9F, -0.1F}),
      (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(
      reds({.filter = Filter::nearest, .address_mode = AddressMode::clamp_to_zero}, {0.75F, 1.25F, -0.1F}),
      (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(reds({.filter = Filter::nearest, .coordinates = Coordinates::texels}, {0.5F, 1.5F, 9}),
            (std::vector<float>{0, 1, 1}));
  if (!vkc::format_support(physical_device(), ImageFormat::rgba32_sfloat).linear_filter) return;
  EXPECT_EQ(reds({}, {0.25F, 0.5F, 0.75F}), (std::vector<float>{0, 0.5F, 1}));
  EXPECT_EQ(reds({.coordinates = Coordinates::texels}, {0.5F, 1, 1.25F}),
            (std::vector<float>{0, 0.5F, 0.75F}));
}

// Against linear interpolation written out; samplers have 8 bits of fraction at least, so 1/256 of the range.
TEST_P(ImageTest, LinearFilterMatchesItsFormula) {
  constexpr std::uint32_t kWidth = 13, kHeight = 7;
  const vkc::Image picture = image(ImageFormat::rgba8_unorm, kWidth, kHeight, {.use = ImageUse::sampled});
  const std::vector<std::uint8_t> bytes = random_bytes(picture.size_bytes());
  ASSERT_TRUE(vkc::upload(device(), picture, bytes));
  std::mt19937 random(3);
  std::uniform_real_distribution<float> distribution(-0.2F, 1.2F);
  std::vector<Float2> places(200);
  for (Float2& place : places) place = {distribution(random), distribution(random)};
  const std::vector<Float4> colors = sampled(picture, sampler(), places);
  const auto texel = [&](int x, int y) {
    x = std::clamp(x, 0, int{kWidth} - 1);
    y = std::clamp(y, 0, int{kHeight} - 1);
    return static_cast<float>(bytes[static_cast<std::size_t>(y * int{kWidth} + x) * 4]) / 255;
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float x = places[i].x * kWidth - 0.5F, y = places[i].y * kHeight - 0.5F;
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    const float fx = x - std::floor(x), fy = y - std::floor(y);
    const float above = texel(left, top) * (1 - fx) + texel(left + 1, top) * fx;
    const float below = texel(left, top + 1) * (1 - fx) + texel(left + 1, top + 1) * fx;
    ASSERT_NEAR(colors[i].r, above * (1 - fy) + below * fy, 2.5F / 256) << places[i].x << " " << places[i].y;
  }
}

TEST_P(ImageTest, CombinedImagesAndSamplers) {
  const vkc::Kernel sample = kernel(kernels::sample_combined);
  const vkc::Image picture = image(ImageFormat::rgba8_unorm, 2, 1, {.use = ImageUse::sampled});
  ASSERT_TRUE(vkc::upload(device(), picture, std::vector<std::uint8_t>{0, 0, 0, 0, 255, 255, 255, 255}));
  const vkc::Sampler nearest = sampler({.filter = vkc::Filter::nearest});
  const vkc::Buffer places = buffer_of(std::vector<Float2>{{0.25F, 0}, {0.75F, 0}}), colors = buffer(32);
  const struct { std::uint32_t count = 2; } push;
  vkc::Commands recorded = commands();
  ASSERT_TRUE(sample.dispatch(
      recorded, {}, {{"picture", {picture, nearest}}, {"places", places}, {"colors", colors}}, push));
  run(recorded);
  const std::vector<Float4> read = values_of<Float4>(colors);
  EXPECT_EQ(read[0].r, 0);
  EXPECT_EQ(read[1].a, 1);
  EXPECT_THAT(dispatch_error(sample, {{"picture", picture}, {"places", places}, {"colors", colors}}, push),
              HasSubstr("binding \"picture\" wants an image with its sampler, and an image is given"));
}

TEST_P(ImageTest, VolumesAreSampled) {
  if (!vkc::format_support(physical_device(), ImageFormat::r32_sfloat).linear_filter)
    GTEST_SKIP() << "the device does not interpolate r32_sfloat";
  const vkc::Kernel average = kernel(kernels::volume);
  const vkc::Extent size{6, 5, 3};
  const vkc::Image input = volume(ImageFormat::r32_sfloat, size),
                   output = volume(ImageFormat::r32_sfloat, size);
  const auto value = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return static_cast<float>(x * x + 8 * y + 64 * z);
  };
  std::vector<float> values, expected;
  const auto before = [](std::uint32_t i) { return i == 0 ? 0 : i - 1; };
  for (std::uint32_t z = 0; z < size.depth; ++z) {
    for (std::uint32_t y = 0; y < size.height; ++y) {
      for (std::uint32_t x = 0; x < size.width; ++x) {
        values.push_back(value(x, y, z));
        float sum = 0;
        for (int corner = 0; corner < 8; ++corner) {
          sum += value((corner & 1) != 0 ? x : before(x), (corner & 2) != 0 ? y : before(y),
                       (corner & 4) != 0 ? z : before(z));
        }
        expected.push_back(sum / 8);
      }
    }
  }
  ASSERT_TRUE(vkc::upload(device(), input, values));
  vkc::Commands recorded = commands();
  ASSERT_TRUE(average.dispatch(recorded, vkc::group_count(output, average.group_size()),
                               {{"input", input}, {"input_sampler", sampler()}, {"output", output}}));
  run(recorded);
  const std::vector<float> read = texels_of<float>(output);
  ASSERT_EQ(read.size(), expected.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_NEAR(read[i], expected[i], 0.6F) << i;
}

TEST_P(ImageTest, TheSlangModuleKeepsItsPromises) {
  constexpr std::uint32_t kWidth = 5, kHeight = 3, kTexels = kWidth * kHeight;
  const vkc::Kernel module = kernel(kernels::module, {{"depth", 4U}}, KernelGroupSize{4, 2, 1});
  EXPECT_EQ(module.group_size(), (KernelGroupSize{4, 2, 1}));
  const vkc::Image picture = image(ImageFormat::r32_sfloat, kWidth, kHeight),
                   solid = volume(ImageFormat::r32_sfloat, {3, 2, 2});
  const vkc::Buffer results = buffer(8 * kTexels * sizeof(float));
  vkc::Commands recorded = commands();
  ASSERT_TRUE(module.dispatch(recorded, vkc::group_count(picture, module.group_size()),
                              {{"picture", picture}, {"solid", solid}, {"results", results}}));
  run(recorded);
  const std::vector<float> values = values_of<float>(results);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const std::uint32_t place = y * kWidth + x;
      const auto value = [&](std::uint32_t which) { return values[which * kTexels + place]; };
      SCOPED_TRACE(place);
      EXPECT_EQ(value(0), static_cast<float>(place));
      EXPECT_FLOAT_EQ(value(1), (static_cast<float>(x) + 0.5F) / kWidth);
      EXPECT_FLOAT_EQ(value(2), (static_cast<float>(y) + 0.5F) / kHeight);
      EXPECT_EQ(value(3), static_cast<float>(place + 3 * kTexels));
      EXPECT_EQ(value(4), x < 3 && y < 2 ? 1 : 0);
      EXPECT_EQ(value(5), x < 3 ? 1 : 0);
      EXPECT_EQ(value(6), x < 2 && y < 1 ? 1 : 0);
      EXPECT_FLOAT_EQ(value(7), 2 + (static_cast<float>(x) + 0.5F) / 2);
    }
  }
}

TEST_P(ImageTest, OptionalFormatsWorkOrAreNamed) {
  const vkc::DeviceFeatures& features = device().properties().features;
  if (features.storage_image_read_without_format && features.storage_image_write_without_format) {
    const vkc::Kernel halve = kernel(kernels::any_format);
    const vkc::Image picture = image(ImageFormat::r32_sfloat, 4, 4);
    ASSERT_TRUE(vkc::upload(device(), picture, std::vector<float>(16, 3)));
    vkc::Commands recorded = commands();
    ASSERT_TRUE(halve.dispatch(recorded, {}, {{"picture", picture}}));
    run(recorded);
    EXPECT_THAT(texels_of<float>(picture), Each(1.5F));
    EXPECT_THAT(dispatch_error(halve, {{"picture", image(ImageFormat::r32_uint, 4, 4)}}),
                HasSubstr("is read as floating point in the kernel, and image \"test\" of format r32_uint "
                          "holds unsigned integers"));
  } else {
    EXPECT_THAT(error_of(vkc::Kernel::create(device(), kernels::any_format), ErrorCode::not_supported),
                HasSubstr("WithoutFormat"));
  }
  if (!features.storage_image_extended_formats) {
    EXPECT_THAT(error_of(vkc::Kernel::create(device(), kernels::rare_format), ErrorCode::not_supported),
                HasSubstr("StorageImageExtendedFormats"));
    return;
  }
  const vkc::Kernel fill = kernel(kernels::rare_format);
  const vkc::Image picture = image(ImageFormat::rg16_sfloat, 4, 4);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(fill.dispatch(recorded, {}, {{"picture", picture}}));
  run(recorded);
  EXPECT_EQ(texels_of<std::uint16_t>(picture)[2], 0x3C00);  // x of the second texel: 1
}

TEST_P(ImageTest, OptionsThatDoNotExistAreErrors) {
  const auto last = static_cast<int>(ImageFormat::rgba32_sfloat);
  for (const int format : {last + 1, 200, 255}) {
    const auto wrong = static_cast<ImageFormat>(format);
    const std::string message = "format: " + std::to_string(format) + " is no ImageFormat";
    EXPECT_THAT(error_of(vkc::Image::create_2d(device(), wrong, 4, 4), ErrorCode::invalid_argument),
                HasSubstr(message));
    EXPECT_THAT(error_of(vkc::Image::create_3d(device(), wrong, {4, 4, 4}), ErrorCode::invalid_argument),
                HasSubstr(message));
    const vkc::ImageFormatSupport support = vkc::format_support(physical_device(), wrong);
    EXPECT_FALSE(support.storage || support.sampled || support.linear_filter);
  }
  EXPECT_THAT(error_of(vkc::Image::create_2d(device(), ImageFormat::rgba8_unorm, 4, 4,
                                             {.use = static_cast<vkc::ImageUse>(9)}),
                       ErrorCode::invalid_argument),
              HasSubstr("use: 9 is no ImageUse"));
  const auto sampler_error = [&](const vkc::SamplerOptions& options) {
    return error_of(vkc::Sampler::create(device(), options), ErrorCode::invalid_argument);
  };
  EXPECT_THAT(sampler_error({.filter = static_cast<vkc::Filter>(2)}), HasSubstr("filter: 2 is no Filter"));
  EXPECT_THAT(sampler_error({.address_mode = static_cast<vkc::AddressMode>(4)}),
              HasSubstr("address_mode: 4 is no AddressMode"));
  EXPECT_THAT(sampler_error({.coordinates = static_cast<vkc::Coordinates>(2)}),
              HasSubstr("coordinates: 2 is no Coordinates"));
}

TEST_P(ImageTest, WrongImagesAreErrors) {
  const auto error = [&](ImageFormat format, std::uint32_t width, std::uint32_t height, ErrorCode code) {
    return error_of(vkc::Image::create_2d(device(), format, width, height, {.name = "wrong"}), code);
  };
  EXPECT_EQ(error(ImageFormat::r8_unorm, 0, 4, ErrorCode::invalid_argument), "image \"wrong\" of 0x4 texels");
  const vkc::DeviceLimits& limits = device().properties().limits;
  EXPECT_EQ(error(ImageFormat::rgba8_unorm, 4, limits.max_image_2d_px + 1, ErrorCode::limit_exceeded),
            "height of image \"wrong\" of " + std::to_string(limits.max_image_2d_px + 1) +
                " is beyond the device's max_image_2d_px of " + std::to_string(limits.max_image_2d_px));
  EXPECT_THAT(
      error_of(vkc::Image::create_3d(device(), ImageFormat::rgba8_unorm, {1, 1, limits.max_image_3d_px + 1}),
               ErrorCode::limit_exceeded),
      HasSubstr("depth of an image"));
}

TEST_P(ImageTest, WrongBindingsAreErrors) {
  const vkc::Kernel invert = kernel(kernels::invert, {}, KernelGroupSize{8, 8, 1});
  const vkc::Image right = image(ImageFormat::rgba8_unorm, 8, 8);
  const vkc::Buffer bytes = buffer(256);
  const vkc::Sampler nearest = sampler({.filter = vkc::Filter::nearest, .name = "nearest"});
  const auto error = [&](const vkc::Resource& wrong) {
    return dispatch_error(invert, {{"input", wrong}, {"output", right}});
  };
  EXPECT_EQ(
      error(image(ImageFormat::rgba8_snorm, 8, 8)),
      "kernel \"invert\": binding \"input\" is declared with format rgba8_unorm, and image \"test\" has "
      "rgba8_snorm");
  EXPECT_THAT(error(volume(ImageFormat::rgba8_unorm, {8, 8, 1})),
              HasSubstr("\"input\" is a 2-D image in the kernel, and an image is 3-D"));
  EXPECT_THAT(error(image(ImageFormat::rgba8_unorm, 8, 8, {.use = ImageUse::sampled, .name = "texture"})),
              HasSubstr("is a storage image, and image \"texture\" was made for sampled use only"));
  EXPECT_THAT(error(bytes), HasSubstr("wants an image, and a buffer is given"));
  EXPECT_THAT(error(nearest), HasSubstr("wants an image, and a sampler is given"));
  EXPECT_THAT(error({right, nearest}), HasSubstr("wants an image, and an image with a sampler is given"));
  EXPECT_THAT(dispatch_error(invert, {{"output", right}}), HasSubstr("nothing is bound to \"input\""));

  const vkc::Kernel load = kernel(kernels::load_texels);
  EXPECT_THAT(dispatch_error(load, {{"picture", image(ImageFormat::rgba8_uint, 8, 8)}, {"sums", right}}),
              HasSubstr("binding \"sums\" wants a buffer, and an image is given"));
  EXPECT_THAT(
      dispatch_error(load, {{"picture", right}, {"sums", bytes}}),
      HasSubstr("is read as unsigned integers in the kernel, and image \"test\" of format rgba8_unorm "
                "holds floating point"));
  EXPECT_THAT(
      dispatch_error(
          load, {{"picture", image(ImageFormat::rgba8_uint, 8, 8, {.use = ImageUse::storage, .name = "s"})},
                 {"sums", bytes}}),
      HasSubstr("is a sampled image, and image \"s\" was made for storage use only"));
}

TEST_P(ImageTest, WrongSamplersAreErrors) {
  const vkc::Kernel sample = kernel(kernels::sample), average = kernel(kernels::volume);
  const vkc::Image picture = image(ImageFormat::rgba8_unorm, 4, 4);
  const vkc::Buffer bytes = buffer(256);
  const std::vector<std::byte> push(4);
  EXPECT_THAT(dispatch_error(sample, {{"picture", picture}, {"places", bytes}, {"colors", buffer(64)}}, push),
              HasSubstr("nothing is bound to \"picture_sampler\""));
  EXPECT_THAT(
      dispatch_error(
          sample,
          {{"picture", picture}, {"picture_sampler", picture}, {"places", bytes}, {"colors", buffer(64)}},
          push),
      HasSubstr("binding \"picture_sampler\" wants a sampler, and an image is given"));
  EXPECT_THAT(error_of(vkc::Sampler::create(device(), {.address_mode = vkc::AddressMode::repeat,
                                                       .coordinates = vkc::Coordinates::texels,
                                                       .name = "odd"}),
                       ErrorCode::invalid_argument),
              HasSubstr("sampler \"odd\": coordinates in texels need"));
  const vkc::Image solid = volume(ImageFormat::r32_sfloat, {4, 4, 4});
  EXPECT_THAT(
      dispatch_error(average, {{"input", solid},
                               {"input_sampler", sampler({.filter = vkc::Filter::nearest,
                                                          .coordinates = vkc::Coordinates::texels,
                                                          .name = "texels"})},
                               {"output", volume(ImageFormat::r32_sfloat, {4, 4, 4})}}),
      HasSubstr("binding \"input\": sampler \"texels\" takes coordinates in texels, which works for 2-D"));
}

TEST_P(ImageTest, FormatsThatCannotBeInterpolatedAreNamed) {
  // Whole numbers are never interpolated, but a kernel that reads floats refuses them before.
  std::optional<ImageFormat> unfiltered;
  for (const ImageFormat format : {ImageFormat::rgba32_sfloat, ImageFormat::rgba16_snorm,
                                   ImageFormat::rgba16_unorm, ImageFormat::r32_sfloat}) {
    const vkc::ImageFormatSupport support = vkc::format_support(physical_device(), format);
    if (support.sampled && !support.linear_filter) unfiltered = format;
  }
  if (!unfiltered) GTEST_SKIP() << "the device interpolates every format";
  const vkc::Kernel sample = kernel(kernels::sample);
  const std::vector<std::byte> push(4);
  EXPECT_THAT(dispatch_error(sample,
                             {{"picture", image(*unfiltered, 4, 4, {.use = ImageUse::sampled})},
                              {"picture_sampler", sampler()},
                              {"places", buffer(64)},
                              {"colors", buffer(64)}},
                             push),
              HasSubstr("interpolates, which the device cannot do"));
}

TEST_P(ImageTest, LayersAreNotSupported) {
  EXPECT_THAT(
      error_of(vkc::Kernel::create(device(), kernels::layers), ErrorCode::not_supported),
      HasSubstr("binding \"picture\" is a 2-D image with layers; vkc binds plain 2-D and 3-D images"));
}

TEST_P(ImageTest, WrongCopiesAreErrors) {
  const vkc::Image picture = image(ImageFormat::rgba32_sfloat, 4, 4);
  const vkc::Buffer small = buffer(64, vkc::MemoryKind::device, "small"), large = buffer(1024);
  const auto first_error = [&](auto record) {
    vkc::Commands recorded = commands();
    return error_of(record(recorded), ErrorCode::invalid_argument);
  };
  EXPECT_THAT(first_error([&](auto& c) { return c.copy(small, picture); }),
              HasSubstr("the region of image \"test\" has 256 bytes, the range of buffer \"small\" only 64"));
  EXPECT_THAT(first_error([&](auto& c) { return c.copy(large.range(8, 256), picture); }),
              HasSubstr("the offset of 8 bytes into buffer \"test\" is not a multiple of 16"));
  EXPECT_THAT(first_error([&](auto& c) {
                return c.copy(picture, large, {{1, 0}, {4, 4}});
              }),
              HasSubstr("the region of 4x4x1 at 1,0,0 is not inside image \"test\" of 4x4"));
  EXPECT_THAT(first_error([&](auto& c) {
                return c.copy(picture, large, {{0, 0, 1}, {1, 1, 1}});
              }),
              HasSubstr("not inside"));
  EXPECT_THAT(first_error([&](auto& c) {
                return c.copy(picture, large, {{0, 0, 0}, {0, 1, 1}});
              }),
              HasSubstr("not inside"));
  EXPECT_THAT(first_error([&](auto& c) {
                return c.copy(picture, large, {{UINT32_MAX, 0, 0}, {2, 1, 1}});
              }),
              HasSubstr("not inside"));
  EXPECT_THAT(first_error([&](auto& c) { return c.copy(picture, picture); }), HasSubstr("they are the same"));
  EXPECT_THAT(first_error([&](auto& c) { return c.copy(picture, image(ImageFormat::r8_unorm, 4, 4)); }),
              HasSubstr("they differ"));
  EXPECT_THAT(
      error_of(vkc::upload(device(), picture, std::vector<std::byte>(3)), ErrorCode::invalid_argument),
      HasSubstr("upload: 3 bytes are given, and image \"test\" has 256"));
}

TEST_P(ImageTest, ThingsOfAnotherDeviceAreErrors) {
  const auto other = vkc::Device::open(physical_device());
  ASSERT_TRUE(other);
  const auto foreign = vkc::Image::create_2d(*other, ImageFormat::rgba8_unorm, 8, 8, {.name = "foreign"});
  const auto foreign_sampler = vkc::Sampler::create(*other);
  ASSERT_TRUE(foreign && foreign_sampler);
  const vkc::Kernel invert = kernel(kernels::invert, {}, KernelGroupSize{8, 8, 1});
  EXPECT_THAT(dispatch_error(invert, {{"input", *foreign}, {"output", *foreign}}),
              HasSubstr("binding \"input\": image \"foreign\" is of another device"));
  vkc::Commands recorded = commands();
  EXPECT_THAT(error_of(recorded.copy(buffer(256), *foreign), ErrorCode::invalid_argument),
              HasSubstr("is of another device"));
  EXPECT_THAT(
      error_of(vkc::upload(device(), *foreign, std::vector<std::byte>(256)), ErrorCode::invalid_argument),
      HasSubstr("is of another device"));
}

TEST_P(ImageTest, CommandsKeepThemAlive) {
  const vkc::Kernel invert = kernel(kernels::invert, {}, KernelGroupSize{8, 8, 1});
  const vkc::Image output = image(ImageFormat::rgba8_unorm, 8, 8);
  vkc::Commands recorded = commands();
  {
    const vkc::Image input = image(ImageFormat::rgba8_unorm, 8, 8);
    ASSERT_TRUE(vkc::upload(device(), input, std::vector<std::uint8_t>(256, 5)));
    ASSERT_TRUE(invert.dispatch(recorded, {}, {{"input", input}, {"output", output}}));
  }
  run(recorded);
  EXPECT_THAT(texels_of<std::uint8_t>(output), Each(250));
}

VKC_DEVICE_TESTS(ImageTest);

}  // namespace
