#include "kernels/resize/lanczos.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "one_node.h"

namespace upres::kernels {
namespace {

graph::Resample along_x(int in, int out) { return {graph::Axis::x, in, out}; }

constexpr std::pair<int, int> kSizes[] = {{1, 1},  {1, 9},   {9, 1},    {2, 3},    {3, 2},    {5, 5},
                                          {6, 13}, {64, 96}, {100, 37}, {1000, 7}, {333, 777}};

ResampleTable whole_table(const graph::Resample& op) {
  return make_resample_table(op, 0, op.out_total_px, 0, op.in_total_px);
}

// Weight of input sample `from` in output sample `at`.
float weight_of(const ResampleTable& table, int at, int from) {
  const int k = from - table.first_samples[static_cast<size_t>(at)];
  if (k < 0 || k >= static_cast<int>(table.taps)) return 0;
  return table.weights[static_cast<size_t>(at) * table.taps + static_cast<size_t>(k)];
}

TEST(Lanczos, WeightsSumToOneAndTapsLieInside) {
  for (const auto& [in, out] : kSizes) {
    const ResampleTable table = whole_table(along_x(in, out));
    ASSERT_EQ(table.taps, resample_taps(along_x(in, out)));
    ASSERT_EQ(table.first_samples.size(), static_cast<size_t>(out));
    for (size_t i = 0; i < static_cast<size_t>(out); ++i) {
      double sum = 0;
      for (size_t k = 0; k < table.taps; ++k) sum += static_cast<double>(table.weights[i * table.taps + k]);
      EXPECT_NEAR(sum, 1, 1e-6);
      EXPECT_GE(table.first_samples[i], 0);
      EXPECT_LE(table.first_samples[i] + static_cast<int>(table.taps), in);
    }
  }
}

TEST(Lanczos, TheSameSizeChangesNothing) {
  const ResampleTable table = whole_table(along_x(20, 20));
  for (int i = 0; i < 20; ++i) {
    for (int from = 0; from < 20; ++from) EXPECT_NEAR(weight_of(table, i, from), from == i ? 1 : 0, 1e-7);
  }
}

// Against the definition in double precision, replication written as clamping of positions.
TEST(Lanczos, WeightsAreThoseOfTheDefinition) {
  const auto kernel = [](double x) {
    if (std::abs(x) < 1e-12) return 1.0;
    if (std::abs(x) >= 3) return 0.0;
    const double angle = std::numbers::pi * x;
    return std::sin(angle) / angle * std::sin(angle / 3) / (angle / 3);
  };
  for (const auto& [in, out] : kSizes) {
    const ResampleTable table = whole_table(along_x(in, out));
    const double stretch = std::max(1.0, static_cast<double>(in) / out);
    for (int i = 0; i < out; i += std::max(1, out / 7)) {
      const double centre = (i + 0.5) * in / out - 0.5;
      std::vector<double> expected(static_cast<size_t>(in));
      double sum = 0;
      for (int p = -4 * in - 8; p < 5 * in + 8; ++p) {
        const double weight = kernel((p - centre) / stretch);
        expected[static_cast<size_t>(std::clamp(p, 0, in - 1))] += weight;
        sum += weight;
      }
      for (int from = 0; from < in; ++from) {
        ASSERT_NEAR(weight_of(table, i, from), expected[static_cast<size_t>(from)] / sum, 1e-6)
            << in << " -> " << out << ", output " << i << ", input " << from;
      }
    }
  }
}

TEST(Lanczos, MirroredOutputsHaveMirroredWeights) {
  for (const auto& [in, out] : kSizes) {
    const ResampleTable table = whole_table(along_x(in, out));
    for (int i = 0; i < out; i += std::max(1, out / 11)) {
      for (int from = 0; from < in; ++from) {
        ASSERT_NEAR(weight_of(table, i, from), weight_of(table, out - 1 - i, in - 1 - from), 1e-6);
      }
    }
  }
}

// Windows with enough input around their output hold the same weights, bit for bit.
TEST(Lanczos, TheTableDoesNotDependOnTheWindow) {
  for (const auto& [in, out] : {std::pair{120, 80}, std::pair{120, 190}, std::pair{121, 120}}) {
    const graph::Resample op = along_x(in, out);
    const ResampleTable whole = whole_table(op);
    const double stretch = std::max(1.0, static_cast<double>(in) / out);
    for (int begin = 0; begin < out; begin += 13) {
      const int count = std::min(13, out - begin);
      const auto centre = [&, in = in, out = out](int i) { return (i + 0.5) * in / out - 0.5; };
      const int in_begin = std::max(0, static_cast<int>(std::floor(centre(begin) - 3 * stretch)));
      const int in_end =
          std::min(in, static_cast<int>(std::ceil(centre(begin + count - 1) + 3 * stretch)) + 1);
      const ResampleTable part = make_resample_table(op, begin, count, in_begin, in_end - in_begin);
      for (int i = 0; i < count; ++i) {
        for (int from = 0; from < in; ++from) {
          ASSERT_EQ(weight_of(part, i, from - in_begin), weight_of(whole, begin + i, from))
              << "output " << begin + i;
        }
      }
    }
  }
}

TEST(Resample, ConstantPicturesStayConstantOnBothAxes) {
  for (const auto axis : {graph::Axis::x, graph::Axis::y}) {
    const bool x = axis == graph::Axis::x;
    Tensor in(planar(2), x ? Extent{31, 3} : Extent{3, 31});
    std::ranges::fill(in.as<float>(), 0.3F);
    const JobWindow window = {
        .input = {}, .resampled = {}, .resampled_extent = x ? Extent{50, 3} : Extent{3, 50}};
    const auto out = run_one(graph::Resample{axis, 31, 50}, {in}, {planar(2)}, window);
    EXPECT_EQ(out[0].extent, window.resampled_extent);
    for (const float value : out[0].as<float>()) EXPECT_NEAR(value, 0.3F, 1e-6F);
  }
}

TEST(Resample, RampsKeepTheirPlace) {
  Tensor in(planar(1), {40, 1});
  for (size_t i = 0; i < 40; ++i) in.as<float>()[i] = static_cast<float>(i);
  for (const int out_size : {25, 60, 80}) {
    const auto out = run_one(along_x(40, out_size), {in}, {planar(1)},
                             {.input = {}, .resampled = {}, .resampled_extent = {out_size, 1}});
    for (int i = out_size / 4; i < out_size * 3 / 4; ++i) {
      // Lanczos does not reproduce ramps exactly: about one part in a hundred of a sample.
      EXPECT_NEAR(out[0].as<float>()[static_cast<size_t>(i)],
                  (static_cast<float>(i) + 0.5F) * 40 / static_cast<float>(out_size) - 0.5F, 0.03F);
    }
  }
}

// The second half of a picture, from its own window, has the bits of the whole.
TEST(Resample, WindowsGiveTheSameBits) {
  Tensor in(planar(1), {90, 2});
  for (size_t i = 0; i < in.as<float>().size(); ++i)
    in.as<float>()[i] = std::sin(static_cast<float>(i) * 0.37F);
  const graph::Resample op = along_x(90, 70);
  const auto whole =
      run_one(op, {in}, {planar(1)}, {.input = {}, .resampled = {}, .resampled_extent = {70, 2}});
  Tensor part(planar(1), {60, 2});
  for (size_t y = 0; y < 2; ++y)
    std::copy_n(in.as<float>().begin() + static_cast<std::ptrdiff_t>(y * 90 + 30), 60,
                part.as<float>().begin() + static_cast<std::ptrdiff_t>(y * 60));
  const auto right =
      run_one(op, {part}, {planar(1)}, {.input = {30, 0}, .resampled = {35, 0}, .resampled_extent = {35, 2}});
  for (size_t y = 0; y < 2; ++y) {
    for (size_t x = 0; x < 35; ++x)
      EXPECT_EQ(right[0].as<float>()[y * 35 + x], whole[0].as<float>()[y * 70 + 35 + x]);
  }
}

}  // namespace
}  // namespace upres::kernels
