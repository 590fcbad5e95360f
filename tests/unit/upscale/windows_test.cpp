#include "upscale/windows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <utility>

namespace upres::upscale {
namespace {

Tensor counting(const TensorType& type, const Extent& extent) {
  Tensor tensor(type, extent);
  auto samples = tensor.as<uint16_t>();
  std::iota(samples.begin(), samples.end(), uint16_t{0});
  return tensor;
}

uint16_t first_sample(const TensorView& view) {
  uint16_t value = 0;
  std::memcpy(&value, view.bytes.data(), sizeof value);
  return value;
}

TEST(Windows, InterleavedPixelsKeepTheirStride) {
  const Tensor tensor = counting({DType::u16, Layout::interleaved, 3}, {5, 4});
  const auto window = window_of(tensor.view(), {2, 1}, {3, 2});
  ASSERT_TRUE(window);
  EXPECT_EQ(first_sample(*window), 1 * 15 + 2 * 3);
  EXPECT_EQ(window->row_stride_bytes, 30U);
  EXPECT_EQ(window->bytes.size(), 30U + 18U);
  EXPECT_EQ(window->extent, (Extent{3, 2}));
}

TEST(Windows, SeveralPlanesCanBeNarrowedButNotShortened) {
  const Tensor tensor = counting({DType::u16, Layout::planar, 2}, {5, 4});
  EXPECT_FALSE(window_of(tensor.view(), {0, 0}, {5, 3}));
  const auto narrow = window_of(tensor.view(), {1, 0}, {2, 4});
  ASSERT_TRUE(narrow);
  EXPECT_EQ(first_sample(*narrow), 1);
  EXPECT_EQ(narrow->bytes.size(), 7U * 10 + 4);
  const Tensor plane = counting({DType::u16, Layout::planar, 1}, {5, 4});
  EXPECT_TRUE(window_of(plane.view(), {0, 1}, {5, 3}));
}

TEST(Windows, CopyMovesEveryPlane) {
  const Tensor from = counting({DType::u16, Layout::planar, 2}, {5, 4});
  Tensor to({DType::u16, Layout::planar, 2}, {3, 3});
  copy_window(from.view(), {1, 2}, to.view(), {0, 1}, {3, 2});
  const std::vector<uint16_t> expected = {0, 0, 0, 11, 12, 13, 16, 17, 18, 0, 0, 0, 31, 32, 33, 36, 37, 38};
  const auto samples = std::as_const(to).as<uint16_t>();
  EXPECT_EQ(std::vector<uint16_t>(samples.begin(), samples.end()), expected);
}

}  // namespace
}  // namespace upres::upscale
