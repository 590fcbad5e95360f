#include "session/cpu/samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "session/cpu/samples.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "session/cpu/bfloat16.h"

HWY_BEFORE_NAMESPACE();
namespace upres::session::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "session/cpu/vectors-inl.h"

// ---- sums

// Stores the vectors that f(x) makes; `out` may end at `count`.
template <typename F>
void store_vectors(size_t count, float* out, F f) {
  for_vectors(
      count, [&](size_t x) { hn::StoreU(f(x), Floats(), out + x); },
      [&](size_t x, size_t rest) { store_some(f(x), rest, out + x); });
}

template <typename RowAt>
void sum_rows(std::span<const float> weights, int width, float* out, RowAt row_at) {
  const Floats d;
  store_vectors(elems(width), out, [&](size_t x) {
    Float sum = hn::Zero(d);
    for (size_t k = 0; k < weights.size(); ++k) {
      sum = hn::MulAdd(hn::Set(d, weights[k]), hn::LoadU(d, row_at(k) + x), sum);
    }
    return sum;
  });
}

void WeightedSum(std::span<const float* const> rows, std::span<const float> weights, int width, float* out) {
  sum_rows(weights, width, out, [&](size_t k) { return rows[k]; });
}

void WeightedSumStrided(const float* first_row, size_t row_stride_elems, std::span<const float> weights,
                        int width, float* out) {
  sum_rows(weights, width, out, [&](size_t k) { return first_row + k * row_stride_elems; });
}

void Blend(const float* top, const float* bottom, float fraction, int width, float* out) {
  const Floats d;
  store_vectors(elems(width), out, [&](size_t x) {
    const Float above = hn::LoadU(d, top + x);
    return hn::MulAdd(hn::Set(d, fraction), hn::Sub(hn::LoadU(d, bottom + x), above), above);
  });
}

void ResampleRow(const float* in, std::span<const int32_t> first, std::span<const float> weights,
                 uint32_t taps, int width, float* out) {
  const Floats d;
  const Ints di;
  const size_t padded = first.size();
  store_vectors(elems(width), out, [&](size_t x) {
    auto at = hn::LoadU(di, first.data() + x);
    Float sum = hn::Zero(d);
    for (size_t k = 0; k < taps; ++k) {
      sum = hn::MulAdd(hn::LoadU(d, weights.data() + k * padded + x), hn::GatherIndex(d, in, at), sum);
      at = hn::Add(at, hn::Set(di, 1));
    }
    return sum;
  });
}

// ---- statistics

// Signed integers that order as the floats do.
hn::VFromD<Ints> ordered(hn::VFromD<Ints> bits) {
  return hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(Ints(), 0x7fffffff)));
}

void note_one_by_one(const float* samples, size_t count, kernels::StatisticsWords& statistics) {
  for (size_t i = 0; i < count; ++i) {
    if (std::isnan(samples[i])) {
      ++statistics[0];
    } else if (std::isinf(samples[i])) {
      ++statistics[1];
    } else {
      const uint32_t bits = kernels::ordered_bits(samples[i]);
      statistics[2] = std::max(statistics[2], bits);
      statistics[3] = std::max(statistics[3], ~bits);
    }
  }
}

void NoteSamples(const float* samples, int count, kernels::StatisticsWords& statistics) {
  const Floats d;
  const Ints di;
  const size_t whole = elems(count) / lanes() * lanes();
  const auto exponent = hn::Set(di, 0x7f800000);
  auto largest = hn::Set(di, INT32_MIN);
  auto smallest = hn::Set(di, INT32_MAX);
  auto largest_exponent = hn::Zero(di);
  for (size_t x = 0; x < whole; x += lanes()) {
    const auto bits = hn::BitCast(di, hn::LoadU(d, samples + x));
    largest_exponent = hn::Max(largest_exponent, hn::And(bits, exponent));
    largest = hn::Max(largest, ordered(bits));
    smallest = hn::Min(smallest, ordered(bits));
  }
  if (whole == 0 || !hn::AllTrue(di, hn::Lt(largest_exponent, exponent))) {
    note_one_by_one(samples, elems(count), statistics);
    return;
  }
  constexpr uint32_t kSign = 0x80000000U;
  const auto high = static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(di, largest))) ^ kSign;
  const auto low = static_cast<uint32_t>(hn::GetLane(hn::MinOfLanes(di, smallest))) ^ kSign;
  statistics[2] = std::max(statistics[2], high);
  statistics[3] = std::max(statistics[3], ~low);
  note_one_by_one(samples + whole, elems(count) - whole, statistics);
}

// ---- magnitude, clip, bfloat16

// Magnitudes order as their bits do, and those of infinity and NaN lie above all numbers.
float LargestMagnitude(const float* in, size_t count) {
  constexpr uint32_t kMagnitude = 0x7fffffff;
  const Ints d;
  auto largest = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes() <= count; i += lanes()) {
    const auto bits = hn::BitCast(d, hn::LoadU(Floats(), in + i));
    largest = hn::Max(largest, hn::And(bits, hn::Set(d, static_cast<int32_t>(kMagnitude))));
  }
  auto bits = static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(d, largest)));
  for (; i < count; ++i) bits = std::max(bits, std::bit_cast<uint32_t>(in[i]) & kMagnitude);
  return std::bit_cast<float>(bits);
}

float LargestMagnitudeBf16(const uint16_t* in, size_t count) {
  constexpr uint16_t kMagnitude = 0x7fff;
  const hn::ScalableTag<uint16_t> d;
  const size_t n = hn::Lanes(d);
  auto largest = hn::Zero(d);
  size_t i = 0;
  for (; i + n <= count; i += n) {
    largest = hn::Max(largest, hn::And(hn::LoadU(d, in + i), hn::Set(d, kMagnitude)));
  }
  HWY_ALIGN std::array<uint16_t, 2 * kMaxLanes> part;
  hn::Store(largest, d, part.data());
  uint16_t bits = *std::max_element(part.begin(), part.begin() + static_cast<ptrdiff_t>(n));
  for (; i < count; ++i) bits = std::max(bits, static_cast<uint16_t>(in[i] & kMagnitude));
  return bfloat16_value(bits);
}

void ClipSamples(const float* in, size_t count, float min, float max, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = in[i] < min ? min : in[i] > max ? max : in[i];
}

void ToBfloat16(const float* in, size_t count, uint16_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = bfloat16_bits(in[i]);
}

void ToBfloat16Split(const float* in, size_t count, uint16_t* out) {
  for (size_t i = 0; i < count; ++i) {
    const uint16_t high = bfloat16_bits(in[i]);
    out[3 * i] = high;
    out[3 * i + 1] = bfloat16_bits(in[i] - bfloat16_value(high));
    out[3 * i + 2] = high;
  }
}

}  // namespace upres::session::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upres::session::cpu {

HWY_EXPORT(WeightedSum);
HWY_EXPORT(WeightedSumStrided);
HWY_EXPORT(Blend);
HWY_EXPORT(ResampleRow);
HWY_EXPORT(NoteSamples);
HWY_EXPORT(LargestMagnitude);
HWY_EXPORT(LargestMagnitudeBf16);
HWY_EXPORT(ClipSamples);
HWY_EXPORT(ToBfloat16);
HWY_EXPORT(ToBfloat16Split);

void weighted_sum(std::span<const float* const> rows, std::span<const float> weights, int width, float* out) {
  HWY_DYNAMIC_DISPATCH(WeightedSum)(rows, weights, width, out);
}
void weighted_sum(const float* first_row, size_t row_stride_elems, std::span<const float> weights, int width,
                  float* out) {
  HWY_DYNAMIC_DISPATCH(WeightedSumStrided)(first_row, row_stride_elems, weights, width, out);
}
void blend(const float* top, const float* bottom, float fraction, int width, float* out) {
  HWY_DYNAMIC_DISPATCH(Blend)(top, bottom, fraction, width, out);
}
void resample_row(const float* in, std::span<const int32_t> first, std::span<const float> weights,
                  uint32_t taps, int width, float* out) {
  HWY_DYNAMIC_DISPATCH(ResampleRow)(in, first, weights, taps, width, out);
}
void note_samples(const float* samples, int count, kernels::StatisticsWords& statistics) {
  HWY_DYNAMIC_DISPATCH(NoteSamples)(samples, count, statistics);
}
float largest_magnitude(const float* in, size_t count) {
  return HWY_DYNAMIC_DISPATCH(LargestMagnitude)(in, count);
}
float largest_magnitude(const uint16_t* in_bfloat16, size_t count) {
  return HWY_DYNAMIC_DISPATCH(LargestMagnitudeBf16)(in_bfloat16, count);
}
void clip_samples(const float* in, size_t count, float min, float max, float* out) {
  HWY_DYNAMIC_DISPATCH(ClipSamples)(in, count, min, max, out);
}
void to_bfloat16(const float* in, size_t count, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(ToBfloat16)(in, count, out);
}
void to_bfloat16_split(const float* in, size_t count, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(ToBfloat16Split)(in, count, out);
}

}  // namespace upres::session::cpu
#endif
