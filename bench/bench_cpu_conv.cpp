// The layers of the seed network on the CPU, one thread, one band of 16 rows at a width of 1280: each way to
// compute them that suits. Counters: multiply-adds per second, and what the layer would take for 1280x720 on
// this thread.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "session/cpu/cpu_info.h"
#include "session/cpu/narrow.h"
#include "session/cpu/onednn.h"
#include "session/cpu/winograd.h"

namespace {

using namespace upres;
using session::cpu::Convolution;
using session::cpu::Element;

constexpr int kWidth_px = 1280;
constexpr int kRows = 16;
constexpr double kWholeRows = 720;

struct Layer {
  int in = 1;
  int out = 1;
  int kernel = 3;
};
constexpr Layer kLayers[] = {{1, 64, 5}, {64, 64, 3}, {64, 32, 3}, {32, 9, 3}, {32, 4, 3}};

graph::Conv random_conv(const Layer& layer) {
  std::mt19937 random(1);
  std::normal_distribution<float> value(0, 0.1F);
  const auto count = static_cast<size_t>(layer.in * layer.out * layer.kernel * layer.kernel);
  auto weights = std::make_shared<std::vector<float>>(count);
  for (float& weight : *weights) weight = value(random);
  const int p = layer.kernel / 2;
  return {.in_channels = layer.in,
          .out_channels = layer.out,
          .kernel_height = layer.kernel,
          .kernel_width = layer.kernel,
          .padding = {p, p, p, p},
          .apply_relu = true,
          .weights = weights,
          .biases = std::make_shared<std::vector<float>>(static_cast<size_t>(layer.out), 0.1F)};
}

void run(benchmark::State& state, const Layer& layer, Result<std::unique_ptr<Convolution>> convolution,
         Element in) {
  if (!convolution) {
    state.SkipWithError(convolution.error().message.c_str());
    return;
  }
  const int halo = layer.kernel - 1;
  const session::cpu::ConvBand band = {.in_rows = kRows + halo,
                                       .in_width_px = kWidth_px,
                                       .out_rows = kRows,
                                       .out_width_px = kWidth_px,
                                       .padding = {0, halo / 2, 0, halo / 2}};
  const auto in_samples = static_cast<size_t>(band.in_rows * kWidth_px * layer.in);
  const auto out_samples = static_cast<size_t>(band.out_rows * kWidth_px * layer.out);
  std::vector<std::byte> source(in_samples * session::cpu::size_bytes(in) + 4096);
  std::vector<std::byte> target(out_samples * sizeof(float) + 4096);
  auto ready = (*convolution)->prepare(1);
  if (ready) ready = (*convolution)->make_ready(band);
  for (auto _ : state) {
    if (ready) ready = (*convolution)->run(0, band, {}, source.data(), target.data());
    benchmark::DoNotOptimize(target.data());
  }
  if (!ready) state.SkipWithError(ready.error().message.c_str());
  const double macs = static_cast<double>(out_samples) * layer.in * layer.kernel * layer.kernel;
  state.SetLabel((*convolution)->implementation());
  state.counters["MAC/s"] = benchmark::Counter(macs, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["s/720p"] = benchmark::Counter(
      kRows / kWholeRows, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <typename F>
void add(const std::string& name, F f) {
  benchmark::RegisterBenchmark(name.c_str(), f)->Unit(benchmark::kMillisecond)->UseRealTime();
}

void add_layer(const Layer& layer, bool bf16) {
  const graph::Conv conv = random_conv(layer);
  const std::string name = std::to_string(layer.in) + "->" + std::to_string(layer.out) + "_" +
                           std::to_string(layer.kernel) + "x" + std::to_string(layer.kernel) +
                           (bf16 ? "/bf16/" : "/fp32/");
  const Element in = !bf16 ? Element::f32 : layer.in == 1 ? Element::bf16_split : Element::bf16;
  const Element out = bf16 && layer.out >= 32 ? Element::bf16 : Element::f32;
  add(name + "direct", [=](benchmark::State& state) {
    run(state, layer, session::cpu::make_direct_convolution(conv, in, out, name), in);
  });
  if (session::cpu::winograd_suits(conv, bf16)) {
    add(name + "winograd", [=](benchmark::State& state) {
      run(state, layer, session::cpu::make_winograd_convolution(conv, bf16, out, name), Element::f32);
    });
  }
  if (session::cpu::narrow_suits(conv, bf16)) {
    add(name + "narrow", [=](benchmark::State& state) {
      run(state, layer, session::cpu::make_narrow_convolution(conv, bf16), in);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_num_threads(1);
  for (const Layer& layer : kLayers) {
    add_layer(layer, false);
    if (session::cpu_info().bf16) add_layer(layer, true);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
