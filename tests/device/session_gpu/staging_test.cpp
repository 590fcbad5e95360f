#include "session/gpu/staging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "kernels/kernel.h"
#include "unit/plan/networks.h"

namespace upres::session {
namespace {

TEST(Staging, RoundTripOfEveryLayout) {
  testing::Random random(1);
  CopyThreads threads(4);
  for (const TensorType& type :
       {TensorType{DType::u8, Layout::interleaved, 3}, TensorType{DType::u8, Layout::interleaved, 1},
        TensorType{DType::u16, Layout::interleaved, 4}, TensorType{DType::f32, Layout::planar, 5},
        TensorType{DType::u32, Layout::flat, 4}}) {
    for (const Extent extent : {Extent{1, 1}, Extent{5, 3}, Extent{8, 2}}) {
      if (type.layout == Layout::flat && extent != Extent{1, 1}) continue;
      const Tensor tensor = testing::random_tensor(random, type, extent);
      std::vector<std::byte> device(kernels::device_bytes(type, extent), std::byte{0xee});
      copy_to_device(tensor.view(), device, threads);
      Tensor back(type, extent);
      copy_from_device(device, back.view(), threads);
      EXPECT_EQ(back.bytes, tensor.bytes);
    }
  }
}

TEST(Staging, RowsOfPixelsArePaddedOnTheDevice) {
  const TensorType rgb{DType::u8, Layout::interleaved, 3};
  const Extent extent{5, 2};
  Tensor tensor(rgb, extent);
  for (size_t i = 0; i < tensor.bytes.size(); ++i) tensor.bytes[i] = static_cast<std::byte>(i);
  std::vector<std::byte> device(kernels::device_bytes(rgb, extent), std::byte{0xee});
  ASSERT_EQ(device.size(), 2U * 24U);
  CopyThreads threads(1);
  copy_to_device(std::as_const(tensor).view(), device, threads);
  EXPECT_EQ(device[24], std::byte{15}) << "the second row begins at a multiple of four pixels";
  EXPECT_EQ(device[15], std::byte{0xee});
}

// Every row once, whatever the number of threads, and again with the same threads.
TEST(CopyThreads, PartsAreAllRowsOnce) {
  for (const int most : {-1, 1, 2, 3, 8}) {
    CopyThreads threads(most);
    for (const size_t rows : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{1000}}) {
      for (const size_t bytes : {size_t{0}, CopyThreads::kLeastBytes, 3 * CopyThreads::kLeastBytes,
                                 100 * CopyThreads::kLeastBytes}) {
        std::vector<std::atomic<int>> copied(rows);
        std::atomic<size_t> parts = 0;
        threads.run(rows, bytes, [&](size_t first, size_t last) {
          ++parts;
          for (size_t row = first; row < last; ++row) ++copied[row];
        });
        EXPECT_TRUE(std::all_of(copied.begin(), copied.end(), [](const auto& times) { return times == 1; }));
        const size_t most_parts = std::max<size_t>(1, std::min(rows, bytes / CopyThreads::kLeastBytes));
        EXPECT_EQ(parts, std::min(most_parts, static_cast<size_t>(std::max(1, most))))
            << rows << " " << bytes;
      }
    }
  }
}

TEST(CopyThreads, LargePicturesOfAnyStrideArrive) {
  const TensorType rgb{DType::u8, Layout::interleaved, 3};
  const Extent extent{2049, 1100};  // rows are padded on the device
  CopyThreads threads(3);
  Tensor tensor(rgb, extent);
  for (size_t i = 0; i < tensor.bytes.size(); ++i) tensor.bytes[i] = static_cast<std::byte>(i * 31 / 7);
  ASSERT_GT(tensor.bytes.size(), 3 * CopyThreads::kLeastBytes);
  std::vector<std::byte> device(kernels::device_bytes(rgb, extent));
  copy_to_device(std::as_const(tensor).view(), device, threads);
  const size_t stride = row_bytes(rgb, extent) + 5;
  std::vector<std::byte> wide(stride * 1100, std::byte{0xee});
  copy_from_device(device, {rgb, extent, stride, wide}, threads);
  for (size_t y = 0; y < 1100; ++y) {
    const auto row = wide.begin() + static_cast<std::ptrdiff_t>(y * stride);
    const auto expected = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(y * row_bytes(rgb, extent));
    ASSERT_TRUE(std::equal(expected, expected + static_cast<std::ptrdiff_t>(row_bytes(rgb, extent)), row))
        << y;
    ASSERT_EQ(wide[y * stride + stride - 1], std::byte{0xee}) << y;
  }
}

}  // namespace
}  // namespace upres::session
