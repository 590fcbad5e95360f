#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/kernel.h"
#include "kernels/pixels/statistics.h"
#include "one_node.h"

namespace upres::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const TensorType kStatisticsType = {DType::u32, Layout::flat, 4};

// A tensor of 2 x 2 x 2^2 sub-pixels that count; what comes out is written down from the formulas of the ONNX
// operator.
TEST(DepthToSpace, CrdKeepsTheSubPixelsOfAChannelTogether) {
  Tensor in(planar(8), {1, 1});
  std::iota(in.as<float>().begin(), in.as<float>().end(), 0.0F);
  const auto out = run_one(graph::DepthToSpace{2, graph::ShuffleMode::crd}, {in}, {planar(2)});
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(DepthToSpace, DcrKeepsTheChannelsOfASubPixelTogether) {
  Tensor in(planar(8), {1, 1});
  std::iota(in.as<float>().begin(), in.as<float>().end(), 0.0F);
  const auto out = run_one(graph::DepthToSpace{2, graph::ShuffleMode::dcr}, {in}, {planar(2)});
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(DepthToSpace, NeighboursKeepTheirPlaces) {
  const Tensor in = tensor_of<float>(planar(4), {2, 1}, {0, 1, 10, 11, 20, 21, 30, 31});
  const auto out = run_one(graph::DepthToSpace{2, graph::ShuffleMode::crd}, {in}, {planar(1)});
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{0, 10, 1, 11, 20, 30, 21, 31}));
}

TEST(Clip, LimitsAndKeepsNan) {
  const Tensor in = tensor_of<float>(planar(1), {5, 1}, {-kInfinity, -0.5F, 0.25F, 2, kNan});
  const auto out = elements<float>(run_one(graph::Clip{0, 1}, {in}, {planar(1)})[0]);
  EXPECT_EQ((std::vector<float>(out.begin(), out.begin() + 4)), (std::vector<float>{0, 0, 0.25F, 1}));
  EXPECT_TRUE(std::isnan(out[4]));
}

TEST(Encode, PrimaryColoursHaveTheirLumaAndChroma) {
  const Tensor in =
      tensor_of<uint8_t>(pixels_of(DType::u8, 3), {4, 1}, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255});
  const auto out = run_one(graph::Encode{graph::NetworkColors::luma}, {in}, {planar(1), planar(2)});
  const auto y = elements<float>(out[0]);
  const auto chroma = elements<float>(out[1]);
  EXPECT_NEAR(y[0], 0.299F, 1e-6F);
  EXPECT_NEAR(y[1], 0.587F, 1e-6F);
  EXPECT_NEAR(y[2], 0.114F, 1e-6F);
  EXPECT_EQ(y[3], 1.0F);
  EXPECT_NEAR(chroma[2], 0.5F, 1e-6F);      // Cb of blue
  EXPECT_NEAR(chroma[4 + 0], 0.5F, 1e-6F);  // Cr of red
  EXPECT_NEAR(chroma[0], -0.299F / 1.772F, 1e-6F);
  EXPECT_EQ(chroma[3], 0.0F);
  EXPECT_EQ(chroma[4 + 3], 0.0F);
}

TEST(Encode, GreyForAnRgbNetworkIsThreeTimesTheSame) {
  const Tensor in = tensor_of<uint16_t>(pixels_of(DType::u16, 2), {2, 1}, {65535, 0, 13107, 65535});
  const auto out = run_one(graph::Encode{graph::NetworkColors::rgb}, {in}, {planar(3), planar(1)});
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{1, 0.2F, 1, 0.2F, 1, 0.2F}));
  EXPECT_EQ(elements<float>(out[1]), (std::vector<float>{0, 1}));
}

TEST(Encode, AlphaComesAfterChroma) {
  const Tensor in = tensor_of<uint8_t>(pixels_of(DType::u8, 4), {1, 1}, {10, 10, 10, 51});
  const auto out = run_one(graph::Encode{graph::NetworkColors::luma}, {in}, {planar(1), planar(3)});
  const auto side = elements<float>(out[1]);
  EXPECT_EQ(side[0], 0.0F);
  EXPECT_EQ(side[1], 0.0F);
  EXPECT_FLOAT_EQ(side[2], 0.2F);
}

TEST(Store, RoundsHalfUpClampsAndTurnsNanToZero) {
  const Tensor in = tensor_of<float>(planar(1), {6, 1}, {0.5F / 255, 0.49F / 255, -1, 7, kNan, kInfinity});
  const auto out = run_one(graph::Store{}, {in}, {pixels_of(DType::u8, 1)});
  EXPECT_EQ(elements<uint8_t>(out[0]), (std::vector<uint8_t>{1, 0, 0, 255, 0, 255}));
}

TEST(Store, SixteenBitsKeepTheirSteps) {
  const Tensor in = tensor_of<float>(planar(2), {2, 1}, {1, 32768.0F / 65535, 1.0F / 65535, 0});
  const auto out = run_one(graph::Store{}, {in}, {pixels_of(DType::u16, 2)});
  EXPECT_EQ(elements<uint16_t>(out[0]), (std::vector<uint16_t>{65535, 1, 32768, 0}));
}

TEST(Decode, GreyPictureOfALumaNetwork) {
  const Tensor features = tensor_of<float>(planar(4), {1, 1}, {0, 0.2F, 0.4F, 1});
  const graph::Decode decode = {.colors = graph::NetworkColors::luma, .block = 2, .factor = 2};
  const auto out = run_one(decode, {features}, {pixels_of(DType::u8, 1), kStatisticsType});
  EXPECT_EQ(elements<uint8_t>(out[0]), (std::vector<uint8_t>{0, 51, 102, 255}));
}

TEST(Decode, GreyPictureOfAnRgbNetworkIsTheLumaOfTheThree) {
  const Tensor features = tensor_of<float>(planar(3), {2, 1}, {1, 0.6F, 0, 0.6F, 0, 0.6F});
  const graph::Decode decode = {.colors = graph::NetworkColors::rgb};
  const auto out = run_one(decode, {features}, {planar(1), kStatisticsType});
  EXPECT_NEAR(elements<float>(out[0])[0], 0.299F, 1e-6F);
  EXPECT_EQ(elements<float>(out[0])[1], 0.6F);
}

TEST(Decode, CountsWhatIsNotFiniteAndStoresSomethingDefined) {
  const Tensor features = tensor_of<float>(planar(1), {5, 1}, {kNan, kInfinity, -kInfinity, -2, 0.5F});
  const graph::Decode decode = {.colors = graph::NetworkColors::luma};
  const auto out = run_one(decode, {features}, {pixels_of(DType::u8, 1), kStatisticsType});
  EXPECT_EQ(elements<uint8_t>(out[0]), (std::vector<uint8_t>{0, 255, 0, 0, 128}));
  const auto words = elements<uint32_t>(out[1]);
  const Statistics statistics = read_statistics({words[0], words[1], words[2], words[3]});
  EXPECT_EQ(statistics.nan, 1U);
  EXPECT_EQ(statistics.infinite, 2U);
  EXPECT_EQ(statistics.smallest, -2.0F);
  EXPECT_EQ(statistics.largest, 0.5F);
}

// Alpha says nothing about the network: 2 stays out of the range.
TEST(Decode, AlphaIsNotInTheStatistics) {
  const Tensor features = tensor_of<float>(planar(1), {1, 1}, {0.25F});
  const Tensor side = tensor_of<float>(planar(1), {1, 1}, {2});
  const auto out = run_one(graph::Decode{.colors = graph::NetworkColors::luma}, {features, side},
                           {planar(2), kStatisticsType});
  EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{0.25F, 2}));
  const auto words = elements<uint32_t>(out[1]);
  EXPECT_EQ(read_statistics({words[0], words[1], words[2], words[3]}).largest, 0.25F);
}

}  // namespace
}  // namespace upres::kernels
