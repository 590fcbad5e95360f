#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "one_node.h"

namespace upres::kernels {
namespace {

graph::Weights weights_of(std::vector<float> values) {
  return std::make_shared<const std::vector<float>>(std::move(values));
}

graph::Conv conv_3x3(std::vector<float> weights, float bias, const graph::Padding& padding) {
  return {.in_channels = 1,
          .out_channels = 1,
          .kernel_height = 3,
          .kernel_width = 3,
          .padding = padding,
          .apply_relu = false,
          .weights = weights_of(std::move(weights)),
          .biases = weights_of({bias})};
}

Tensor counting(int channels, const Extent& extent) {
  Tensor tensor(planar(channels), extent);
  std::iota(tensor.as<float>().begin(), tensor.as<float>().end(), 0.0F);
  return tensor;
}

std::vector<float> convolve(const graph::Conv& conv, const Tensor& in) {
  return elements<float>(run_one(conv, {in}, {planar(conv.out_channels)})[0]);
}

// The example of the ONNX operator's documentation: a 3x3 box over 5x5 numbers that count.
TEST(Conv, BoxWithPaddingAsInTheOnnxDocumentation) {
  const std::vector<float> expected = {12,  21, 27, 33,  24,  33,  54,  63, 72,  51,  63,  99, 108,
                                       117, 81, 93, 144, 153, 162, 111, 72, 111, 117, 123, 84};
  EXPECT_EQ(convolve(conv_3x3(std::vector<float>(9, 1.0F), 0, {1, 1, 1, 1}), counting(1, {5, 5})), expected);
}

TEST(Conv, BoxWithoutPaddingAsInTheOnnxDocumentation) {
  const std::vector<float> expected = {54, 63, 72, 99, 108, 117, 144, 153, 162};
  EXPECT_EQ(convolve(conv_3x3(std::vector<float>(9, 1.0F), 0, {}), counting(1, {5, 5})), expected);
}

// Cross-correlation, not mirrored: a single weight moves the picture.
TEST(Conv, KernelIsNotMirrored) {
  const auto moved = convolve(conv_3x3({0, 0, 0, 0, 0, 1, 0, 0, 0}, 0, {1, 1, 1, 1}), counting(1, {3, 2}));
  EXPECT_EQ(moved, (std::vector<float>{1, 2, 0, 4, 5, 0}));
}

TEST(Conv, EachSideHasItsOwnPadding) {
  const std::vector<float> centre = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  // Two rows above, one column on the right: 2x1 becomes 2 + 0 + 1 - 2 = 1 wide, 1 + 2 + 0 - 2 = 1 high.
  EXPECT_EQ(
      convolve(conv_3x3(centre, 0.5F, {.top = 2, .left = 0, .bottom = 0, .right = 1}), counting(1, {2, 1})),
      (std::vector<float>{0.5F}));
  EXPECT_EQ(
      convolve(conv_3x3(centre, 0.5F, {.top = 1, .left = 0, .bottom = 1, .right = 1}), counting(1, {2, 1})),
      (std::vector<float>{1.5F}));
}

TEST(Conv, ChannelsBiasAndRelu) {
  const graph::Conv conv = {.in_channels = 2,
                            .out_channels = 2,
                            .kernel_height = 1,
                            .kernel_width = 2,
                            .padding = {},
                            .apply_relu = true,
                            .weights = weights_of({1, 10, 100, 1000, -1, -1, -1, -1}),
                            .biases = weights_of({0.5F, 3})};
  const Tensor in = tensor_of<float>(planar(2), {2, 1}, {1, 2, 3, 4});
  EXPECT_EQ(convolve(conv, in), (std::vector<float>{1 + 20 + 300 + 4000 + 0.5F, 0}));
}

TEST(Conv, ReluKeepsNan) {
  graph::Conv conv = conv_3x3({0, 0, 0, 0, 1, 0, 0, 0, 0}, 0, {1, 1, 1, 1});
  conv.apply_relu = true;
  const Tensor in = tensor_of<float>(planar(1), {1, 1}, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(convolve(conv, in)[0]));
}

TEST(Conv, IsLinearAndShiftsWithItsInput) {
  const graph::Conv conv = conv_3x3({0.5F, -1, 2, 0.25F, 3, -2, 1, 4, -0.5F}, 0, {1, 1, 1, 1});
  Tensor impulse(planar(1), {7, 7});
  impulse.as<float>()[3 * 7 + 3] = 1;
  const auto response = convolve(conv, impulse);
  // The response is the kernel turned by half a turn around the impulse.
  for (size_t ky = 0; ky < 3; ++ky) {
    for (size_t kx = 0; kx < 3; ++kx)
      EXPECT_EQ(response[(4 - ky) * 7 + 4 - kx], (*conv.weights)[ky * 3 + kx]);
  }
}

}  // namespace
}  // namespace upres::kernels
