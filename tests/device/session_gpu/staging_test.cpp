#include "session/gpu/staging.h"

#include <gtest/gtest.h>

#include <utility>

#include "kernels/kernel.h"
#include "unit/plan/networks.h"

namespace upres::session {
namespace {

TEST(Staging, RoundTripOfEveryLayout) {
  testing::Random random(1);
  for (const TensorType& type :
       {TensorType{DType::u8, Layout::interleaved, 3}, TensorType{DType::u8, Layout::interleaved, 1},
        TensorType{DType::u16, Layout::interleaved, 4}, TensorType{DType::f32, Layout::planar, 5},
        TensorType{DType::u32, Layout::flat, 4}}) {
    for (const Extent extent : {Extent{1, 1}, Extent{5, 3}, Extent{8, 2}}) {
      if (type.layout == Layout::flat && extent != Extent{1, 1}) continue;
      const Tensor tensor = testing::random_tensor(random, type, extent);
      std::vector<std::byte> device(kernels::device_bytes(type, extent), std::byte{0xee});
      copy_to_device(tensor.view(), device);
      Tensor back(type, extent);
      copy_from_device(device, back.view());
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
  copy_to_device(std::as_const(tensor).view(), device);
  EXPECT_EQ(device[24], std::byte{15}) << "the second row begins at a multiple of four pixels";
  EXPECT_EQ(device[15], std::byte{0xee});
}

}  // namespace
}  // namespace upres::session
