#include "upscale/precision.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/tensor.h"
#include "graph/extents.h"
#include "upscale/metrics.h"

namespace upres::upscale {
namespace {

constexpr std::array<std::pair<Precision, std::string_view>, 4> kNames = {{{Precision::automatic, "auto"},
                                                                           {Precision::fp32, "fp32"},
                                                                           {Precision::fp16, "fp16"},
                                                                           {Precision::bf16, "bf16"}}};

constexpr int kTileEdgePx = 128;

// A reproducible sequence in 0..1 (Steele, Lea and Flood 2014: SplitMix64).
class Random {
 public:
  float next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return static_cast<float>((z ^ (z >> 31U)) >> 40U) * 0x1p-24F;
  }

 private:
  uint64_t state_ = 1;
};

// Discs and bars with soft and hard edges over a gradient, a ripple of falling period and a little noise.
float test_sample(int x, int y, int channel, float noise) {
  const auto u = static_cast<float>(x) / kTileEdgePx;
  const auto v = static_cast<float>(y) / kTileEdgePx;
  float value = 0.25F + 0.4F * v + 0.05F * static_cast<float>(channel);
  value += 0.15F * std::sin(60.0F * u * u);
  if (std::hypot(u - 0.35F, v - 0.4F) < 0.2F) value = 0.85F - 0.3F * u;
  value -= 0.5F / (1 + std::exp(40.0F * (std::hypot(u - 0.7F, v - 0.65F) - 0.18F)));
  if (v > 0.8F && (x / 5 + y / 9) % 2 == 0) value = 0.95F;
  return std::fmin(1.0F, std::fmax(0.0F, value + 0.03F * (noise - 0.5F)));
}

Tensor test_tile(const TensorType& type) {
  Tensor tile(type, {kTileEdgePx, kTileEdgePx});
  Random random;
  auto samples = tile.as<float>();
  size_t at = 0;
  for (int c = 0; c < type.channels; ++c) {
    for (int y = 0; y < kTileEdgePx; ++y) {
      for (int x = 0; x < kTileEdgePx; ++x) samples[at++] = test_sample(x, y, c, random.next());
    }
  }
  return tile;
}

Result<Tensor> run_network(const graph::Graph& network, const Tensor& input, Precision precision,
                           const MakeSession& make_session) {
  auto session = make_session(network, precision);
  if (!session) return propagate(session);
  const auto extents = graph::infer_extents(network, std::array{input.extent});
  if (!extents) return tl::unexpected(extents.error());
  const graph::ValueId output = network.outputs().front();
  Tensor result(network.value(output).type, (*extents)[output]);
  const auto report = (*session)->run({{input.view()}, {result.view()}});
  if (!report) return tl::unexpected(report.error());
  return result;
}

std::string verdict_key(const graph::Graph& network, Precision faster, std::string_view device_key) {
  return "precision " + std::string(name(faster)) + " model " + hex(graph::content_hash(network)) +
         " device " + std::string(device_key);
}

std::string decibels(double value) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1);
  return error == std::errc{} ? std::string(text.data(), end) : "?";
}

}  // namespace

std::string_view name(Precision precision) {
  for (const auto& [value, text] : kNames) {
    if (value == precision) return text;
  }
  return "?";
}

std::optional<Precision> precision_from_text(std::string_view text) {
  for (const auto& [value, known] : kNames) {
    if (known == text) return value;
  }
  return std::nullopt;
}

Result<double> measure_agreement_db(const graph::Graph& network, Precision faster,
                                    const MakeSession& make_session) {
  const Tensor tile = test_tile(network.value(network.inputs().front()).type);
  const auto exact = run_network(network, tile, Precision::fp32, make_session);
  if (!exact) return tl::unexpected(exact.error());
  const auto fast = run_network(network, tile, faster, make_session);
  if (!fast) return tl::unexpected(fast.error());
  const auto a = exact->as<float>();
  const auto b = fast->as<float>();
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  if (!std::isfinite(sum)) {
    return fail(ErrorCode::device,
                "the result in " + std::string(name(faster)) + " holds NaN or infinite values");
  }
  return psnr_db(sum / static_cast<double>(a.size()), 1);
}

Precision choose_precision(const graph::Graph& network, Precision faster, std::string_view device_key,
                           const MakeSession& make_session, const Cache& cache, const Log& log) {
  const std::string key = verdict_key(network, faster, device_key);
  if (const auto known = cache.get(key)) {
    if (const auto precision = precision_from_text(*known)) return *precision;
  }
  const auto agreement = measure_agreement_db(network, faster, make_session);
  if (!agreement) {
    log.info("precision: " + std::string(name(faster)) + " cannot be measured: " + agreement.error().message);
    return Precision::fp32;
  }
  const Precision chosen = *agreement >= kAgreementDb ? faster : Precision::fp32;
  log.info("precision: " + std::string(name(faster)) + " agrees with fp32 to " + decibels(*agreement) +
           " dB, so " + std::string(name(chosen)) + " is used");
  cache.put(key, name(chosen));
  return chosen;
}

}  // namespace upres::upscale
