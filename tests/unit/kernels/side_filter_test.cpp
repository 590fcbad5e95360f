#include "kernels/resize/side_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "one_node.h"

namespace upres::kernels {
namespace {

const TensorType kStatisticsType = {DType::u32, Layout::flat, 4};
constexpr auto kFilters = {graph::SideFilter::bicubic, graph::SideFilter::bilinear};

// Alpha enlarged by decode; the luma beside it is 0.
std::vector<float> enlarge(const Tensor& alpha, int factor, graph::SideFilter filter) {
  const Extent out = {alpha.extent.width_px * factor, alpha.extent.height_px * factor};
  const graph::Decode decode = {
      .colors = graph::NetworkColors::luma, .block = 1, .factor = factor, .filter = filter};
  const auto picture = run_one(decode, {Tensor(planar(1), out), alpha}, {planar(2), kStatisticsType});
  const auto both = elements<float>(picture[0]);
  return {both.begin() + static_cast<std::ptrdiff_t>(both.size() / 2), both.end()};
}

Tensor noise(const Extent& extent) {
  Tensor tensor(planar(1), extent);
  uint32_t state = 99;
  for (float& sample : tensor.as<float>()) {
    state = state * 1664525U + 1013904223U;
    sample = static_cast<float>(state >> 8U) / static_cast<float>(1U << 24U);
  }
  return tensor;
}

// Keys (1981), eq. 15, with a = -0.5, in double precision.
double keys(double x) {
  const double s = std::abs(x);
  if (s < 1) return 1.5 * s * s * s - 2.5 * s * s + 1;
  if (s < 2) return -0.5 * s * s * s + 2.5 * s * s - 4 * s + 2;
  return 0;
}

TEST(SideFilter, PositionsAreThoseOfTruePixelCentres) {
  for (const int factor : {1, 2, 3, 4, 5, 7, 8, 16}) {
    for (int i = 0; i < 4 * factor; ++i) {
      const SidePosition position = side_position(i, factor);
      EXPECT_NEAR(position.base + static_cast<double>(position.fraction), (i + 0.5) / factor - 0.5, 1e-6);
      EXPECT_GE(position.fraction, 0.0F);
      EXPECT_LT(position.fraction, 1.0F);
    }
  }
}

TEST(SideFilter, FactorOneChangesNothing) {
  const Tensor in = noise({7, 5});
  for (const auto filter : kFilters) EXPECT_EQ(enlarge(in, 1, filter), elements<float>(in));
}

TEST(SideFilter, WeightsAreKeysKernelAndSumToOne) {
  for (int i = 0; i <= 64; ++i) {
    const double t = i / 64.0;
    const auto weights = bicubic_weights(static_cast<float>(t));
    double sum = 0;
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(weights[k], keys(static_cast<double>(k) - 1 - t), 1e-6);
      sum += static_cast<double>(weights[k]);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(SideFilter, ConstantPicturesStayConstant) {
  for (const int factor : {2, 3, 4, 5}) {
    Tensor in(planar(1), {5, 4});
    std::ranges::fill(in.as<float>(), 0.7F);
    for (const float value : enlarge(in, factor, graph::SideFilter::bicubic)) EXPECT_NEAR(value, 0.7F, 3e-7F);
    for (const float value : enlarge(in, factor, graph::SideFilter::bilinear)) EXPECT_EQ(value, 0.7F);
  }
}

// A ramp keeps its slope, and pixel i of the enlarged picture lies at (i + 0.5) / factor - 0.5.
TEST(SideFilter, RampsKeepTheirPlace) {
  for (const int factor : {2, 3, 4}) {
    Tensor in(planar(1), {9, 1});
    for (size_t i = 0; i < 9; ++i) in.as<float>()[i] = static_cast<float>(i);
    for (const auto filter : kFilters) {
      const auto out = enlarge(in, factor, filter);
      for (int i = 2 * factor; i < 7 * factor; ++i) {
        EXPECT_NEAR(out[static_cast<size_t>(i)],
                    (static_cast<float>(i) + 0.5F) / static_cast<float>(factor) - 0.5F, 1e-5F);
      }
    }
  }
}

TEST(SideFilter, MirroredPicturesGiveMirroredPictures) {
  for (const int factor : {2, 3, 4, 5}) {
    for (const auto filter : kFilters) {
      const Tensor in = noise({6, 5});
      Tensor turned = in;
      std::ranges::reverse(turned.as<float>());
      const auto out = enlarge(in, factor, filter);
      auto back = enlarge(turned, factor, filter);
      std::ranges::reverse(back);
      for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], back[i], 1e-6F) << "factor " << factor;
    }
  }
}

TEST(SideFilter, EdgesAreReplicated) {
  const Tensor in = noise({1, 1});
  for (const auto filter : kFilters) {
    for (const float value : enlarge(in, 4, filter)) EXPECT_NEAR(value, in.as<float>()[0], 2e-7F);
  }
}

// A window that begins at a whole input pixel gives the same bits as the whole picture, two pixels from its
// edges on.
TEST(SideFilter, WindowsGiveTheSameBits) {
  const Tensor whole = noise({24, 1});
  for (const int factor : {2, 3, 5}) {
    const auto expected = enlarge(whole, factor, graph::SideFilter::bicubic);
    Tensor part(planar(1), {12, 1});
    std::copy_n(whole.as<float>().begin() + 7, 12, part.as<float>().begin());
    const auto actual = enlarge(part, factor, graph::SideFilter::bicubic);
    for (int i = 2 * factor; i < 10 * factor; ++i) {
      EXPECT_EQ(actual[static_cast<size_t>(i)], expected[static_cast<size_t>(i + 7 * factor)]);
    }
  }
}

}  // namespace
}  // namespace upres::kernels
