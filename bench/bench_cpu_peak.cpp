// What the processor can do at most: multiply-adds of registers with registers, f32 and (where it has
// AVX512-BF16) pairs of bf16, on one thread and on all. docs/cpu.md compares the layers of a network with it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "session/cpu/cpu_info.h"
#include "session/cpu/narrow_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench_cpu_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef UPRES_PEAK_ROUNDS
#define UPRES_PEAK_ROUNDS
// More independent sums than multipliers times their latency, and fewer than registers.
constexpr int kChains = 12;
constexpr int kRounds = 20000;
#endif

HWY_BEFORE_NAMESPACE();
namespace upres::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Runs kRounds * kChains vector multiply-adds; returns their FLOPs.
double MultiplyAddF32() {
  const hn::ScalableTag<float> d;
  using Vector = hn::VFromD<hn::ScalableTag<float>>;
  // Different, and unknown to the compiler, or it would compute one for all.
  float starts[kChains] = {};
  benchmark::DoNotOptimize(starts);
  const Vector a = hn::Set(d, starts[0]);
  Vector sums[kChains];
  UPRES_UNROLL
  for (int i = 0; i < kChains; ++i) sums[i] = hn::Set(d, starts[i]);
  for (int round = 0; round < kRounds; ++round) {
    UPRES_UNROLL
    for (Vector& sum : sums) sum = hn::MulAdd(sum, a, a);
  }
  Vector total = sums[0];
  UPRES_UNROLL
  for (int i = 1; i < kChains; ++i) total = hn::Add(total, sums[i]);
  float sum = hn::GetLane(total);
  benchmark::DoNotOptimize(sum);
  return 2.0 * kRounds * kChains * static_cast<double>(hn::Lanes(d));
}

}  // namespace upres::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#if defined(__x86_64__)
#include <immintrin.h>

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
namespace upres {

double multiply_add_bf16() {
  float starts[kChains] = {};
  benchmark::DoNotOptimize(starts);
  const auto a = reinterpret_cast<__m512bh>(_mm512_set1_ps(starts[0]));
  __m512 sums[kChains];
  UPRES_UNROLL
  for (int i = 0; i < kChains; ++i) sums[i] = _mm512_set1_ps(starts[i]);
  for (int round = 0; round < kRounds; ++round) {
    UPRES_UNROLL
    for (__m512& sum : sums) sum = _mm512_dpbf16_ps(sum, a, a);
  }
  __m512 total = sums[0];
  UPRES_UNROLL
  for (int i = 1; i < kChains; ++i) total = _mm512_add_ps(total, sums[i]);
  benchmark::DoNotOptimize(total);
  return 2.0 * kRounds * kChains * 32;
}

}  // namespace upres
HWY_POP_ATTRIBUTES
#else
namespace upres {
double multiply_add_bf16() { return 0; }
}  // namespace upres
#endif

namespace upres {
namespace {

HWY_EXPORT(MultiplyAddF32);
double multiply_add_f32() { return HWY_DYNAMIC_DISPATCH(MultiplyAddF32)(); }

void add(const std::string& name, double (*f)(), int threads) {
  const auto measure = [f](benchmark::State& state) {
    double flops = 0;
    for (auto _ : state) flops += f();
    state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
  };
  benchmark::RegisterBenchmark(name.c_str(), measure)->Threads(threads)->UseRealTime();
}

}  // namespace
}  // namespace upres

int main(int argc, char** argv) {
  const upres::session::CpuInfo cpu = upres::session::cpu_info();
  const bool has_bf16 = std::ranges::count(cpu.features, "avx512_bf16") > 0;
  for (const int threads : {1, cpu.cores}) {
    upres::add("fp32/multiply_add", upres::multiply_add_f32, threads);
    if (has_bf16) upres::add("bf16/multiply_add_pairs", upres::multiply_add_bf16, threads);
    if (cpu.cores == 1) break;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
#endif
