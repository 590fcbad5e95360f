// How values lie in memory between kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/storage.h"

namespace upres::kernels {
namespace {

constexpr Storage kPackedFloat = {Arrangement::packed, DType::f32};
constexpr Storage kPackedHalf = {Arrangement::packed, DType::f16};
constexpr Storage kImageHalf = {Arrangement::image, DType::f16};
constexpr Storage kPixelMajorHalf = {Arrangement::pixel_major, DType::f16};

TensorType planar(int channels) { return {DType::f32, Layout::planar, channels}; }

// Sample c, y, x is 100 c + 10 y + x: exact in half, too.
Tensor numbered(int channels, const Extent& extent) {
  Tensor tensor(planar(channels), extent);
  auto sample = tensor.as<float>().begin();
  for (int c = 0; c < channels; ++c) {
    for (int y = 0; y < extent.height_px; ++y) {
      for (int x = 0; x < extent.width_px; ++x) *sample++ = static_cast<float>(100 * c + 10 * y + x);
    }
  }
  return tensor;
}

float float_at(const std::vector<std::byte>& bytes, size_t index) {
  float value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof(float), sizeof(float));
  return value;
}

TEST(Storage, OnlyWholeBlocksOfChannels) {
  EXPECT_TRUE(can_store({}, planar(3)));
  EXPECT_TRUE(can_store(kPackedFloat, planar(8)));
  EXPECT_FALSE(can_store(kPackedFloat, planar(6)));
  EXPECT_TRUE(can_store(kPixelMajorHalf, planar(32)));
  EXPECT_FALSE(can_store(kPixelMajorHalf, planar(24)));
  EXPECT_FALSE(can_store(kPackedFloat, {DType::u8, Layout::interleaved, 4}));
  EXPECT_FALSE(can_store({Arrangement::plain, DType::f16}, planar(4)));
}

TEST(Storage, PackedIsBlocksOfFourChannels) {
  const auto bytes = to_storage(kPackedFloat, numbered(8, {3, 2}));
  ASSERT_EQ(bytes.size(), 8U * 3 * 2 * sizeof(float));
  // [block][y][x][4]: block 1, y 1, x 2, channel 3 of the block is channel 7.
  EXPECT_EQ(float_at(bytes, ((1 * 2 + 1) * 3 + 2) * 4 + 3), 712.0F);
  EXPECT_EQ(float_at(bytes, 1), 100.0F);
}

// What a copy to an image takes: its texels, which are the blocks.
TEST(Storage, ImagesAreTexelsOfFourChannels) {
  const Storage image{Arrangement::image, DType::f32};
  EXPECT_EQ(texel_extent(planar(8), {3, 2}), (TexelExtent{3, 2, 2}));
  EXPECT_EQ(to_storage(image, numbered(8, {3, 2})), to_storage(kPackedFloat, numbered(8, {3, 2})));
  EXPECT_EQ(to_text(kImageHalf), "image f16");
  EXPECT_FALSE(can_store(image, planar(6)));
}

TEST(Storage, PixelMajorHasRowsOfThirtyTwo) {
  EXPECT_EQ(row_pitch_px(kPixelMajorHalf, {33, 2}), 64);
  EXPECT_EQ(row_pitch_px(kPackedHalf, {33, 2}), 33);
  EXPECT_EQ(storage_bytes(kPixelMajorHalf, planar(16), {33, 2}), 2U * 64 * 16 * 2);
  EXPECT_EQ(storage_bytes(kPackedHalf, planar(16), {33, 2}), 2U * 33 * 16 * 2);
  EXPECT_EQ(storage_bytes({}, planar(16), {33, 2}), 2U * 33 * 16 * 4);
}

TEST(Storage, ThereAndBackAgain) {
  for (const Storage& storage : {Storage{}, kPackedFloat, kPackedHalf, kPixelMajorHalf, kImageHalf}) {
    const Tensor tensor = numbered(16, {5, 3});
    const Tensor back = from_storage(storage, tensor.type, tensor.extent, to_storage(storage, tensor));
    EXPECT_EQ(back.bytes, tensor.bytes) << to_text(storage);
  }
}

TEST(Storage, HalfRoundsAndOverflowsToInfinity) {
  Tensor tensor(planar(4), {1, 1});
  auto samples = tensor.as<float>();
  samples[0] = 1.0F + 1.0F / 4096;  // half a unit in the last place: to even
  samples[1] = 1e6F;
  samples[2] = std::nanf("");
  samples[3] = 1e-7F;  // subnormal
  const Tensor back = from_storage(kPackedHalf, tensor.type, tensor.extent, to_storage(kPackedHalf, tensor));
  EXPECT_EQ(back.as<float>()[0], 1.0F);
  EXPECT_TRUE(std::isinf(back.as<float>()[1]));
  EXPECT_TRUE(std::isnan(back.as<float>()[2]));
  EXPECT_NEAR(back.as<float>()[3], 1e-7F, 6e-8F);
}

TEST(Storage, TheLargestIsAtLeastEachOfThem) {
  for (const Extent& extent : {Extent{1, 1}, Extent{33, 7}, Extent{64, 64}}) {
    for (const Storage& storage : {Storage{}, kPackedFloat, kPackedHalf, kPixelMajorHalf, kImageHalf}) {
      EXPECT_LE(storage_bytes(storage, planar(16), extent), largest_storage_bytes(planar(16), extent));
    }
  }
}

}  // namespace
}  // namespace upres::kernels
