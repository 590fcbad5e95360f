// NaN and infinity through whole networks: the statistics must tell.
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/cases.h"
#include "session/cpu/bfloat16.h"
#include "session/cpu/cpu_info.h"
#include "session/cpu/samples.h"
#include "support.h"

namespace upres::session::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Extent kSize = {25, 18};

std::vector<CpuPrecision> precisions() {
  std::vector<CpuPrecision> all = {CpuPrecision::fp32};
  if (cpu_info().bf16) all.push_back(CpuPrecision::bf16);
  return all;
}

// Convolutions, the last without ReLU, then a picture of f32 and its statistics. Between them the two
// networks take every way to compute a convolution that this processor has.
graph::Graph network(const std::vector<ConvShape>& shapes, int factor) {
  std::mt19937 random(1);
  Chain chain(planes(shapes.front().in));
  for (const ConvShape& shape : shapes) chain.conv(shape, random);
  graph::Graph graph = chain.done();
  const graph::ValueId features = graph.outputs()[0];
  graph.mutable_outputs().clear();
  const graph::ValueId picture = graph.add_value("picture", planes(1));
  const graph::ValueId statistics = graph.add_value("statistics", {DType::u32, Layout::flat, 4});
  graph.add_node(
      {"decode", graph::Decode{.block = factor, .factor = factor}, {features}, {picture, statistics}, ""});
  graph.add_output(picture);
  graph.add_output(statistics);
  return graph;
}

std::vector<graph::Graph> networks(bool padded) {
  std::vector<ConvShape> nine = {same_conv(1, 32, 5), same_conv(32, 32, 3), same_conv(32, 24, 3),
                                 same_conv(24, 9, 3, false)};
  std::vector<ConvShape> four = {same_conv(1, 20, 5), same_conv(20, 32, 3), same_conv(32, 4, 3, false)};
  for (auto* shapes : {&nine, &four}) {
    for (ConvShape& shape : *shapes) shape.padding = padded ? shape.padding : graph::Padding{};
  }
  return {network(nine, 3), network(four, 2)};
}

size_t not_finite(const Tensor& picture) {
  return static_cast<size_t>(
      std::ranges::count_if(picture.as<float>(), [](float sample) { return !std::isfinite(sample); }));
}

// Runs the graph and expects samples that are not finite wherever the reference has them, all counted.
void expect_seen(const graph::Graph& graph, const Tensor& input, Session& session) {
  auto reference = kernels::run_reference(graph, {&input, 1});
  ASSERT_TRUE(reference) << reference.error().text();
  const Tensor& wanted = (*reference)[0];
  const std::vector<Tensor> got = run(session, {input});
  for (size_t i = 0; i < wanted.as<float>().size(); ++i) {
    ASSERT_TRUE(std::isfinite(wanted.as<float>()[i]) || !std::isfinite(got[0].as<float>()[i]))
        << "sample " << i;
  }
  EXPECT_GT(not_finite(wanted), 0U);
  const auto words = got[1].as<uint32_t>();
  EXPECT_EQ(size_t{words[0]} + words[1], not_finite(got[0]));
}

TEST(CpuNonFinite, InputsReachTheStatisticsAndAreGoneInTheNextJob) {
  for (const graph::Graph& graph : networks(true)) {
    for (const CpuPrecision precision : precisions()) {
      const auto session = make_session(graph, {.precision = precision});
      ASSERT_TRUE(session);
      Tensor input = random_tensor(planes(1), kSize, 2);
      const std::vector<Tensor> clean = run(*session, {input});
      for (const float poison : {kNan, kInfinity, -kInfinity}) {
        SCOPED_TRACE(testing::Message() << session->precision() << " " << poison);
        Tensor poisoned = input;
        poisoned.as<float>()[200] = poison;
        expect_seen(graph, poisoned, *session);
        const std::vector<Tensor> again = run(*session, {input});
        EXPECT_EQ(again[0].bytes, clean[0].bytes);
        EXPECT_EQ(again[1].bytes, clean[1].bytes);
      }
    }
  }
}

TEST(CpuNonFinite, WeightsOfEveryLayerReachTheStatistics) {
  const Tensor input = random_tensor(planes(1), kSize, 3);
  for (const graph::Graph& clean : networks(false)) {  // what a weight makes of padding is left out
    for (size_t layer = 0; layer + 1 < clean.nodes().size(); ++layer) {
      for (const float poison : {kNan, kInfinity}) {
        graph::Graph graph = clean;
        auto& conv = std::get<graph::Conv>(graph.mutable_nodes()[layer].op);
        auto weights = std::make_shared<std::vector<float>>(*conv.weights);
        (*weights)[weights->size() / 2] = poison;
        conv.weights = weights;
        for (const CpuPrecision precision : precisions()) {
          const auto session = make_session(graph, {.precision = precision});
          ASSERT_TRUE(session);
          SCOPED_TRACE(testing::Message() << session->precision() << ", layer " << layer << ", " << poison);
          expect_seen(graph, input, *session);
        }
      }
    }
  }
}

TEST(CpuNonFinite, TheLargestMagnitudeIsFoundAnywhere) {
  for (const size_t count : {1U, 3U, 16U, 33U, 70U, 200U}) {
    for (size_t at = 0; at < count; ++at) {
      for (const float largest : {-3.0F, 3.0F, kInfinity, -kInfinity, kNan, -kNan}) {
        std::vector<float> samples(count, -1.0F);
        samples[at] = largest;
        std::vector<uint16_t> bf16(count);
        std::ranges::transform(samples, bf16.begin(), cpu::bfloat16_bits);
        for (const float found :
             {cpu::largest_magnitude(samples.data(), count), cpu::largest_magnitude(bf16.data(), count)}) {
          EXPECT_TRUE(std::isnan(largest) ? std::isnan(found) : found == std::abs(largest))
              << found << " for " << largest << ", number " << at << " of " << count;
        }
      }
    }
  }
  EXPECT_EQ(cpu::largest_magnitude(static_cast<const float*>(nullptr), 0), 0.0F);
}

// The cases that `upres doctor` runs, some with NaN and infinities.
TEST(CpuNonFinite, KernelCasesEqualTheReference) {
  size_t with_specials = 0;
  for (const kernels::KernelCase& test : kernels::kernel_cases({16, 16, 1})) {
    if (kernels::only_plans_make(test.node().op)) continue;
    if (!test.with_specials && !std::holds_alternative<graph::Conv>(test.node().op)) continue;
    const std::vector<Tensor> inputs = kernels::case_inputs(test);
    auto expected = kernels::case_expected(test, inputs);
    ASSERT_TRUE(expected) << expected.error().text();
    const auto session = make_session(test.graph);
    ASSERT_TRUE(session);
    const std::vector<Tensor> got = run(*session, inputs, test.window);
    const kernels::Comparison comparison = kernels::compare_outputs(test, *expected, got);
    EXPECT_TRUE(comparison.ok()) << test.line << ": " << comparison.mismatch;
    with_specials += test.with_specials ? 1 : 0;
  }
  EXPECT_GT(with_specials, 3U);
}

}  // namespace
}  // namespace upres::session::test
