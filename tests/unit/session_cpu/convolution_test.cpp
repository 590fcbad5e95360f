// Each way to compute a convolution, alone, against the plain reference.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/conv/conv_reference.h"
#include "session/cpu/bfloat16.h"
#include "session/cpu/cpu_info.h"
#include "session/cpu/narrow.h"
#include "session/cpu/onednn.h"
#include "session/cpu/winograd.h"
#include "support.h"

namespace upres::session::test {
namespace {

using cpu::Element;

// What a test needs of one convolution.
struct Case {
  ConvShape shape;
  Element in = Element::f32;
  Element out = Element::f32;
};

std::vector<std::byte> channels_last(const Tensor& planes, Element element) {
  const auto channels = static_cast<size_t>(planes.type.channels);
  const size_t pixels = planes.as<float>().size() / channels;
  std::vector<std::byte> bytes(pixels * channels * cpu::size_bytes(element));
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t c = 0; c < channels; ++c) {
      const float sample = planes.as<float>()[c * pixels + i];
      std::byte* to = &bytes[(i * channels + c) * cpu::size_bytes(element)];
      if (element == Element::f32) {
        std::memcpy(to, &sample, sizeof(sample));
        continue;
      }
      const uint16_t high = cpu::bfloat16_bits(sample);
      const uint16_t low = cpu::bfloat16_bits(sample - cpu::bfloat16_value(high));
      const uint16_t parts[] = {high, low, high};
      std::memcpy(to, parts, cpu::size_bytes(element));
    }
  }
  return bytes;
}

Tensor planar(const std::vector<std::byte>& bytes, Element element, int channels, const Extent& extent) {
  Tensor tensor(planes(channels), extent);
  const size_t pixels = tensor.as<float>().size() / static_cast<size_t>(channels);
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
      const size_t at = i * static_cast<size_t>(channels) + c;
      float& sample = tensor.as<float>()[c * pixels + i];
      if (element == Element::f32) {
        std::memcpy(&sample, &bytes[at * 4], 4);
      } else {
        uint16_t bits = 0;
        std::memcpy(&bits, &bytes[at * 2], 2);
        sample = cpu::bfloat16_value(bits);
      }
    }
  }
  return tensor;
}

// The whole picture as one band.
Tensor compute(cpu::Convolution& convolution, const graph::Conv& conv, const Case& c, const Tensor& input,
               const cpu::TilePhase& phase = {}) {
  const Extent in = input.extent;
  const graph::Padding& pad = conv.padding;
  const Extent out{in.width_px + pad.left + pad.right - conv.kernel_width + 1,
                   in.height_px + pad.top + pad.bottom - conv.kernel_height + 1};
  const cpu::ConvBand band = {in.height_px, in.width_px, out.height_px, out.width_px, pad};
  const std::vector<std::byte> source = channels_last(input, c.in);
  std::vector<std::byte> target(static_cast<size_t>(out.width_px * out.height_px * conv.out_channels) *
                                cpu::size_bytes(c.out));
  EXPECT_TRUE(convolution.prepare(1));
  EXPECT_TRUE(convolution.make_ready(band));
  const auto status = convolution.run(0, band, phase, source.data(), target.data());
  EXPECT_TRUE(status) << status.error().text();
  EXPECT_FALSE(convolution.implementation().empty());
  return planar(target, c.out, conv.out_channels, out);
}

Tensor expected(const graph::Conv& conv, const Tensor& input, const Tensor& like) {
  Tensor result(like.type, like.extent);
  kernels::conv_reference(conv, input, result);
  return result;
}

constexpr Extent kSizes[] = {{1, 1}, {2, 5}, {7, 1}, {16, 4}, {33, 9}, {150, 3}, {67, 17}};

TEST(CpuConvolution, DirectEqualsTheReference) {
  std::mt19937 random(1);
  for (const ConvShape& shape : {same_conv(1, 16, 5), same_conv(3, 20, 3), same_conv(16, 9, 3, false)}) {
    const graph::Conv conv = random_conv(shape, random);
    auto convolution = cpu::make_direct_convolution(conv, Element::f32, Element::f32, "test");
    ASSERT_TRUE(convolution) << convolution.error().text();
    for (const Extent& size : kSizes) {
      const Tensor input = random_tensor(planes(shape.in), size, 2);
      const Tensor got = compute(**convolution, conv, {shape}, input);
      EXPECT_LE(largest_difference(got, expected(conv, input, got)), 1e-5);
    }
  }
}

TEST(CpuConvolution, WinogradEqualsTheReferenceAtAnyPhase) {
  std::mt19937 random(2);
  for (ConvShape shape : {same_conv(16, 16, 3), same_conv(32, 48, 3, false), same_conv(64, 32, 3)}) {
    for (const graph::Padding& padding : {graph::Padding{1, 1, 1, 1}, graph::Padding{0, 2, 1, 0}}) {
      shape.padding = padding;
      const graph::Conv conv = random_conv(shape, random);
      ASSERT_TRUE(cpu::winograd_suits(conv, false));
      auto convolution = cpu::make_winograd_convolution(conv, false, Element::f32, "test");
      ASSERT_TRUE(convolution) << convolution.error().text();
      for (const Extent& size : {Extent{1, 1}, Extent{2, 5}, Extent{7, 1}, Extent{35, 8}, Extent{200, 2}}) {
        if (size.height_px + padding.top + padding.bottom < 3 ||
            size.width_px + padding.left + padding.right < 3)
          continue;
        const Tensor input = random_tensor(planes(shape.in), size, 3);
        Tensor reference;
        for (const cpu::TilePhase& phase : {cpu::TilePhase{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
          const Tensor got = compute(**convolution, conv, {shape}, input, phase);
          if (reference.bytes.empty()) reference = expected(conv, input, got);
          EXPECT_LE(largest_difference(got, reference), 1e-5)
              << size.width_px << "x" << size.height_px << " phase " << phase.y << phase.x;
        }
      }
    }
  }
}

// What makes results independent of windows: a row of a product has the same bits wherever it stands.
TEST(CpuConvolution, ProductsOfARowDoNotDependOnTheOthers) {
  constexpr int kBatch = 2;
  for (const int depth : {16, 32, 64}) {
    for (const int columns : {16, 64}) {
      const Tensor constants = random_tensor(planes(kBatch), {columns, depth}, 14);
      auto product =
          cpu::BatchedProduct::create(kBatch, depth, columns, constants.as<float>(), Element::f32, "test");
      ASSERT_TRUE(product) << product.error().text();
      ASSERT_TRUE((*product)->prepare(1));
      const Tensor row = random_tensor(planes(1), {depth, 1}, 15);
      std::vector<float> expected;
      for (const int rows : cpu::BatchedProduct::kRowCounts) {
        std::vector<float> in;
        for (int i = 0; i < kBatch * rows; ++i)
          in.insert(in.end(), row.as<float>().begin(), row.as<float>().end());
        std::vector<float> out(static_cast<size_t>(kBatch * rows * columns));
        ASSERT_TRUE((*product)->run(0, rows, std::as_bytes(std::span(in)).data(), out.data()));
        const auto width = static_cast<ptrdiff_t>(columns);
        if (expected.empty()) expected.assign(out.begin(), out.begin() + width);
        for (int i = 0; i < rows; ++i) {
          EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + i * width))
              << "row " << i << " of " << rows;
        }
      }
    }
  }
}

TEST(CpuConvolution, WinogradIsForThreeByThreeAndWholeVectors) {
  std::mt19937 random(3);
  EXPECT_FALSE(cpu::winograd_suits(random_conv(same_conv(16, 16, 5), random), false));
  EXPECT_FALSE(cpu::winograd_suits(random_conv(same_conv(16, 9, 3), random), false));
  EXPECT_FALSE(cpu::winograd_suits(random_conv(same_conv(1, 64, 3), random), false));
  EXPECT_FALSE(cpu::winograd_suits(random_conv(same_conv(16, 16, 3), random), true));
}

TEST(CpuConvolution, NarrowEqualsTheReferenceForEveryNumberOfOutputs) {
  std::mt19937 random(4);
  for (int outputs = 1; outputs <= 12; ++outputs) {
    ConvShape shape = {12, outputs, 3, 5, {1, 2, 1, 2}, outputs % 2 == 0};
    const graph::Conv conv = random_conv(shape, random);
    ASSERT_TRUE(cpu::narrow_suits(conv, false));
    const auto convolution = cpu::make_narrow_convolution(conv, false);
    for (const Extent& size : {Extent{1, 1}, Extent{7, 3}, Extent{150, 3}, Extent{453, 2}}) {
      const Tensor input = random_tensor(planes(shape.in), size, 5);
      const Tensor got = compute(*convolution, conv, {shape}, input);
      EXPECT_LE(largest_difference(got, expected(conv, input, got)), 1e-5)
          << outputs << " outputs, width " << size.width_px;
    }
  }
  EXPECT_FALSE(cpu::narrow_suits(random_conv(same_conv(12, 13, 3), random), false));
  EXPECT_FALSE(cpu::narrow_suits(random_conv(same_conv(1, 4, 3), random), false));
}

TEST(CpuConvolution, NarrowTakesPaddingBeyondTheKernel) {
  std::mt19937 random(5);
  const ConvShape shape = {8, 3, 2, 2, {4, 3, 5, 6}, false};
  const graph::Conv conv = random_conv(shape, random);
  const auto convolution = cpu::make_narrow_convolution(conv, false);
  const Tensor input = random_tensor(planes(8), {9, 4}, 6);
  const Tensor got = compute(*convolution, conv, {shape}, input);
  EXPECT_LE(largest_difference(got, expected(conv, input, got)), 1e-5);
}

// ---- NaN and infinity

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Every way to compute a convolution on this processor, with ReLU, for inputs of either element type.
struct Way {
  Case c;
  bool bf16 = false;
  enum { direct, winograd, narrow } method = direct;

  [[nodiscard]] std::unique_ptr<cpu::Convolution> make(const graph::Conv& conv) const {
    if (method == narrow) return cpu::make_narrow_convolution(conv, bf16);
    auto made = method == direct ? cpu::make_direct_convolution(conv, c.in, c.out, "test")
                                 : cpu::make_winograd_convolution(conv, bf16, c.out, "test");
    if (!made) ADD_FAILURE() << made.error().text();
    return made ? std::move(*made) : nullptr;
  }
};

std::vector<Way> all_ways() {
  const Element f32 = Element::f32;
  const Element bf16 = Element::bf16;
  std::vector<Way> ways = {{{same_conv(1, 16, 5), f32, f32}},
                           {{same_conv(6, 20, 3), f32, f32}},
                           {{{4, 3, 3, 3, {3, 3, 1, 1}, true}, f32, f32}},
                           {{same_conv(16, 32, 3), f32, f32}, false, Way::winograd},
                           {{same_conv(12, 9, 3), f32, f32}, false, Way::narrow}};
  if (cpu_info().bf16) {
    ways.push_back({{same_conv(2, 32, 5), Element::bf16_split, bf16}, true});
    ways.push_back({{same_conv(24, 32, 3), bf16, bf16}, true});
    ways.push_back({{same_conv(24, 9, 3), bf16, f32}, true});
    ways.push_back({{same_conv(32, 32, 3), f32, f32}, true, Way::winograd});
    ways.push_back({{same_conv(32, 32, 3), f32, bf16}, true, Way::winograd});
    ways.push_back({{same_conv(16, 5, 3), bf16, f32}, true, Way::narrow});
  }
  return ways;
}

struct NonFinite {
  size_t hidden = 0;  // samples that are finite only in the result
  size_t added = 0;   // samples that are finite only in the reference
  size_t same = 0;
};

NonFinite compare_non_finite(const Tensor& got, const Tensor& reference) {
  NonFinite counts;
  for (size_t i = 0; i < got.as<float>().size(); ++i) {
    const bool here = std::isfinite(got.as<float>()[i]);
    const bool there = std::isfinite(reference.as<float>()[i]);
    counts.hidden += here && !there ? 1 : 0;
    counts.added += !here && there ? 1 : 0;
    counts.same += !here && !there ? 1 : 0;
  }
  return counts;
}

// Same bits wherever no kernel of up to 5x5 covers the pixel.
void expect_same_elsewhere(const Tensor& got, const Tensor& clean, const Extent& pixel) {
  const auto width = static_cast<size_t>(got.extent.width_px);
  const auto height = static_cast<size_t>(got.extent.height_px);
  for (size_t i = 0; i < got.as<float>().size(); ++i) {
    const auto x = static_cast<int>(i % width);
    const auto y = static_cast<int>(i / width % height);
    if (std::abs(x - pixel.width_px) <= 4 && std::abs(y - pixel.height_px) <= 4) continue;
    ASSERT_EQ(got.as<float>()[i], clean.as<float>()[i]) << "pixel " << x << "," << y;
  }
}

TEST(CpuConvolutionNonFinite, InputsComeThroughEveryWay) {
  std::mt19937 random(13);
  for (const Way& way : all_ways()) {
    const graph::Conv conv = random_conv(way.c.shape, random);
    const auto convolution = way.make(conv);
    ASSERT_TRUE(convolution);
    Tensor input = random_tensor(planes(way.c.shape.in), {23, 11}, 14);
    const Tensor clean = compute(*convolution, conv, way.c, input);
    for (const float poison : {kNan, kInfinity, -kInfinity}) {
      const size_t at = input.as<float>().size() / 2;
      const float before = std::exchange(input.as<float>()[at], poison);
      const Tensor got = compute(*convolution, conv, way.c, input);
      SCOPED_TRACE(testing::Message() << convolution->implementation() << ", " << poison);
      const NonFinite counts = compare_non_finite(got, expected(conv, input, got));
      EXPECT_EQ(counts.hidden, 0U);
      EXPECT_GT(counts.same, 0U);
      if (std::isnan(poison)) {
        EXPECT_EQ(counts.added, 0U);
      }
      expect_same_elsewhere(got, clean, {static_cast<int>(at % 253 % 23), static_cast<int>(at % 253 / 23)});
      input.as<float>()[at] = before;
    }
    const Tensor again = compute(*convolution, conv, way.c, input);
    EXPECT_EQ(again.bytes, clean.bytes) << convolution->implementation() << ": something is left";
  }
}

TEST(CpuConvolutionNonFinite, WeightsAndBiasesComeThroughEveryWay) {
  std::mt19937 random(15);
  for (const Way& way : all_ways()) {
    const graph::Conv clean = random_conv(way.c.shape, random);
    const Tensor input = random_tensor(planes(way.c.shape.in), {23, 11}, 16);
    for (const float poison : {kNan, kInfinity}) {
      for (const bool in_bias : {false, true}) {
        graph::Conv conv = clean;
        conv.padding = {};  // what a weight makes of padding is left out
        auto values = std::make_shared<std::vector<float>>(in_bias ? *conv.biases : *conv.weights);
        (*values)[values->size() / 2] = poison;
        (in_bias ? conv.biases : conv.weights) = values;
        const auto convolution = way.make(conv);
        ASSERT_TRUE(convolution);
        const Tensor got = compute(*convolution, conv, way.c, input);
        const NonFinite counts = compare_non_finite(got, expected(conv, input, got));
        EXPECT_EQ(counts.hidden, 0U) << convolution->implementation() << (in_bias ? " bias " : " weight ")
                                     << poison;
        EXPECT_GT(counts.same, 0U);
      }
    }
  }
}

// Finite samples and weights whose products overflow, to both sides.
TEST(CpuConvolutionNonFinite, OverflowIsNotCutOffByRelu) {
  std::mt19937 random(17);
  for (const Way& way : all_ways()) {
    // Winograd multiplies other numbers; bf16 units add products in pairs before these can overflow.
    if (way.method == Way::winograd || way.bf16) continue;
    graph::Conv conv = random_conv(way.c.shape, random);
    auto weights = std::make_shared<std::vector<float>>(*conv.weights);
    for (float& weight : *weights) weight = std::copysign(2e38F, weight);
    conv.weights = weights;
    Tensor input = random_tensor(planes(way.c.shape.in), {23, 11}, 18);
    for (float& sample : input.as<float>()) sample += 2;
    const auto convolution = way.make(conv);
    ASSERT_TRUE(convolution);
    const Tensor got = compute(*convolution, conv, way.c, input);
    const NonFinite counts = compare_non_finite(got, expected(conv, input, got));
    EXPECT_EQ(counts.hidden, 0U) << convolution->implementation();
    EXPECT_GT(counts.same, 0U);
  }
}

// ---- bfloat16: weights and inputs keep 8 bits, so a product is off by at most 2^-8 of itself; sums of
// random signs by less.

class CpuConvolutionBf16 : public testing::Test {
 protected:
  void SetUp() override {
    if (!cpu_info().bf16) GTEST_SKIP() << "no bf16 on this processor";
  }

  // PSNR in dB against the reference in f32, for outputs of deviation 1.
  static void expect_close(const graph::Conv& conv, cpu::Convolution& convolution, const Case& c,
                           double at_least_db, double at_most_db) {
    const Tensor input = random_tensor(planes(c.shape.in), {67, 35}, 7);
    const Tensor got = compute(convolution, conv, c, input);
    const double psnr = psnr_db(got, expected(conv, input, got));
    EXPECT_GE(psnr, at_least_db);
    EXPECT_LE(psnr, at_most_db) << "too good to be bf16";
  }
};

TEST_F(CpuConvolutionBf16, Direct) {
  std::mt19937 random(8);
  for (const Element out : {Element::f32, Element::bf16}) {
    const Case c = {same_conv(32, 32, 3), Element::bf16, out};
    const graph::Conv conv = random_conv(c.shape, random);
    auto convolution = cpu::make_direct_convolution(conv, c.in, c.out, "test");
    ASSERT_TRUE(convolution) << convolution.error().text();
    expect_close(conv, **convolution, c, 50, 70);
  }
}

TEST_F(CpuConvolutionBf16, SplitInputsAreNearlySinglePrecision) {
  std::mt19937 random(9);
  for (const int channels : {1, 3}) {
    const Case c = {same_conv(channels, 64, 5), Element::bf16_split, Element::bf16};
    const graph::Conv conv = random_conv(c.shape, random);
    auto convolution = cpu::make_direct_convolution(conv, c.in, c.out, "test");
    ASSERT_TRUE(convolution) << convolution.error().text();
    // What remains is the rounding of the output.
    const Tensor input = random_tensor(planes(channels), {67, 35}, 10);
    const Tensor got = compute(**convolution, conv, c, input);
    Tensor reference = expected(conv, input, got);
    for (float& sample : reference.as<float>()) sample = cpu::round_to_bfloat16(sample);
    EXPECT_GE(psnr_db(got, reference), 75);
  }
}

TEST_F(CpuConvolutionBf16, Winograd) {
  std::mt19937 random(11);
  for (const Element out : {Element::f32, Element::bf16}) {
    const Case c = {same_conv(64, 32, 3), Element::f32, out};
    const graph::Conv conv = random_conv(c.shape, random);
    if (!cpu::winograd_suits(conv, true)) GTEST_SKIP() << "direct bf16 is faster on this processor";
    auto convolution = cpu::make_winograd_convolution(conv, true, c.out, "test");
    ASSERT_TRUE(convolution) << convolution.error().text();
    expect_close(conv, **convolution, c, 46, 70);
  }
}

TEST_F(CpuConvolutionBf16, Narrow) {
  std::mt19937 random(12);
  for (const int outputs : {1, 4, 9, 12}) {
    const Case c = {same_conv(32, outputs, 3, false), Element::bf16, Element::f32};
    const graph::Conv conv = random_conv(c.shape, random);
    if (!cpu::narrow_suits(conv, true)) GTEST_SKIP() << "direct bf16 is faster on this processor";
    const auto convolution = cpu::make_narrow_convolution(conv, true);
    expect_close(conv, *convolution, c, 50, 70);
  }
}

}  // namespace
}  // namespace upres::session::test
