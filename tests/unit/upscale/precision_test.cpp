#include "upscale/precision.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "networks.h"
#include "reference_session.h"

namespace upres::upscale {
namespace {

// bf16 sessions add `error` to every other sample.
MakeSession sessions_with_error(float error, int& made) {
  return [error, &made](const graph::Graph& graph,
                        Precision precision) -> Result<std::unique_ptr<session::Session>> {
    ++made;
    const auto change = [error, precision](std::vector<Tensor>& outputs) {
      if (precision == Precision::fp32) return;
      auto samples = outputs.front().as<float>();
      for (size_t i = 0; i < samples.size(); i += 2) samples[i] += error;
    };
    return std::make_unique<ReferenceSession>(graph, 1, change);
  };
}

TEST(Precision, NamesBothWays) {
  for (const Precision precision :
       {Precision::automatic, Precision::fp32, Precision::fp16, Precision::bf16}) {
    EXPECT_EQ(precision_from_text(name(precision)), precision);
  }
  EXPECT_FALSE(precision_from_text("fp64"));
  EXPECT_FALSE(precision_from_text(""));
}

TEST(Precision, AgreementIsAPeakSignalToNoiseRatio) {
  int made = 0;
  // Half of the samples are off by 0.002: mean squared error 2e-6.
  const auto agreement =
      measure_agreement_db(small_network(2), Precision::bf16, sessions_with_error(0.002F, made));
  ASSERT_TRUE(agreement);
  EXPECT_NEAR(*agreement, 10 * std::log10(1 / 2e-6), 0.01);
  EXPECT_EQ(made, 2);
}

TEST(Precision, NotFiniteIsNoAgreement) {
  int made = 0;
  EXPECT_FALSE(measure_agreement_db(small_network(2), Precision::bf16, sessions_with_error(NAN, made)));
  EXPECT_EQ(
      choose_precision(small_network(2), Precision::bf16, "device", sessions_with_error(NAN, made), {}, {}),
      Precision::fp32);
}

TEST(Precision, DecidedOnceByTheSixtyDecibelRule) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "upres-precision";
  std::filesystem::remove_all(folder);
  const Cache cache(folder);
  int made = 0;
  const auto choose = [&](float error, std::string_view device) {
    return choose_precision(small_network(2), Precision::bf16, device, sessions_with_error(error, made),
                            cache, {});
  };
  EXPECT_EQ(choose(0.0014F, "good"), Precision::bf16);  // 60.1 dB
  EXPECT_EQ(choose(0.0015F, "bad"), Precision::fp32);   // 59.5 dB
  EXPECT_EQ(made, 4);
  EXPECT_EQ(choose(1, "good"), Precision::bf16);
  EXPECT_EQ(choose(0, "bad"), Precision::fp32);
  EXPECT_EQ(made, 4) << "the second time the cache knows";
  EXPECT_EQ(
      choose_precision(small_network(3), Precision::bf16, "good", sessions_with_error(1, made), cache, {}),
      Precision::fp32)
      << "another network is measured anew";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace upres::upscale
