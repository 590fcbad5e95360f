#include "session/cpu/pixels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/pixels/color.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "session/cpu/pixels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "session/cpu/bfloat16.h"

HWY_BEFORE_NAMESPACE();
namespace upres::session::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
template <typename Sample>
using Samples = hn::Rebind<Sample, Floats>;
using Float = hn::VFromD<Floats>;

constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);
static_assert(kMaxLanes <= kRowSlack_elems || HWY_HAVE_SCALABLE);

size_t lanes() { return hn::Lanes(Floats()); }
size_t elems(int width) { return static_cast<size_t>(width); }

// Calls f(x) for each whole vector and, for the rest, g(x, count).
template <typename Whole, typename Rest>
void for_vectors(size_t count, Whole whole, Rest rest) {
  const size_t n = lanes();
  size_t x = 0;
  for (; x + n <= count; x += n) whole(x);
  if (x < count) rest(x, count - x);
}

// Stores the vectors that f(x) makes; `out` may end at `count`.
template <typename F>
void store_vectors(size_t count, float* out, F f) {
  const Floats d;
  for_vectors(
      count, [&](size_t x) { hn::StoreU(f(x), d, out + x); },
      [&](size_t x, size_t rest) {
        HWY_ALIGN float part[kMaxLanes];
        hn::Store(f(x), d, part);
        std::memcpy(out + x, part, rest * sizeof(float));
      });
}

// ---- encode

template <typename Sample>
Float integer_samples(hn::VFromD<Samples<Sample>> samples) {
  return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), samples));
}

struct Pixel {
  Float r;
  Float g;
  Float b;
  Float alpha;
};

template <typename Sample>
Pixel load_pixels(const Sample* pixels, int channels) {
  const Samples<Sample> d;
  auto c0 = hn::Zero(d);
  auto c1 = c0;
  auto c2 = c0;
  auto c3 = c0;
  switch (channels) {
    case 1:
      c0 = hn::LoadU(d, pixels);
      break;
    case 2:
      hn::LoadInterleaved2(d, pixels, c0, c3);
      break;
    case 3:
      hn::LoadInterleaved3(d, pixels, c0, c1, c2);
      break;
    default:
      hn::LoadInterleaved4(d, pixels, c0, c1, c2, c3);
      break;
  }
  const Float first = integer_samples<Sample>(c0);
  const Float alpha = integer_samples<Sample>(c3);
  if (channels <= 2) return {first, first, first, alpha};
  return {first, integer_samples<Sample>(c1), integer_samples<Sample>(c2), alpha};
}

Float luma(const Pixel& p) {
  const Floats d;
  const Float with_blue = hn::MulAdd(hn::Set(d, 0.114F), hn::Sub(p.b, p.g), p.g);
  return hn::MulAdd(hn::Set(d, 0.299F), hn::Sub(p.r, p.g), with_blue);
}

// A plane that takes one vector of `count` samples at x.
void put(float* plane, size_t x, Float samples, size_t count) {
  if (plane == nullptr) return;
  const Floats d;
  if (count == lanes()) {
    hn::StoreU(samples, d, plane + x);
    return;
  }
  HWY_ALIGN float part[kMaxLanes];
  hn::Store(samples, d, part);
  std::memcpy(plane + x, part, count * sizeof(float));
}

template <typename Sample>
void encode_vector(const Sample* pixels, DType dtype, int channels, bool rgb_network, size_t x, size_t count,
                   const EncodedRow& out) {
  const Floats d;
  const Pixel p = load_pixels(pixels, channels);
  const Float scale = hn::Set(d, kernels::sample_scale(dtype));
  const Float y = luma(p);
  put(out.colors[0], x, hn::Mul(rgb_network ? p.r : y, scale), count);
  put(out.colors[1], x, hn::Mul(p.g, scale), count);
  put(out.colors[2], x, hn::Mul(p.b, scale), count);
  put(out.cb, x, hn::Mul(hn::Sub(p.b, y), hn::Set(d, kernels::cb_scale(dtype))), count);
  put(out.cr, x, hn::Mul(hn::Sub(p.r, y), hn::Set(d, kernels::cr_scale(dtype))), count);
  put(out.alpha, x, hn::Mul(p.alpha, scale), count);
}

template <typename Sample>
void encode_samples(const Sample* pixels, DType dtype, int channels, bool rgb_network, int width,
                    const EncodedRow& out) {
  const auto step = static_cast<size_t>(channels);
  for_vectors(
      elems(width),
      [&](size_t x) { encode_vector(pixels + x * step, dtype, channels, rgb_network, x, lanes(), out); },
      [&](size_t x, size_t rest) {
        HWY_ALIGN Sample part[kMaxLanes * 4] = {};
        std::memcpy(part, pixels + x * step, rest * step * sizeof(Sample));
        encode_vector(part, dtype, channels, rgb_network, x, rest, out);
      });
}

void EncodeRow(const std::byte* pixels, DType dtype, int channels, bool rgb_network, int width,
               const EncodedRow& out) {
  if (dtype == DType::u16) {
    encode_samples(reinterpret_cast<const uint16_t*>(pixels), dtype, channels, rgb_network, width, out);
  } else {
    encode_samples(reinterpret_cast<const uint8_t*>(pixels), dtype, channels, rgb_network, width, out);
  }
}

// ---- pixel shuffle

// Writes four floats at a time, each overwriting what the one before wrote too much, and the last pixels one
// by one.
void shuffle_up_to_four(const float* features, size_t stride, size_t width, size_t block, float* out) {
  const hn::CappedTag<float, 4> d;
  const size_t careful = std::min<size_t>(width, 4);
  size_t x = 0;
  if (hn::Lanes(d) == 4) {
    for (; x + careful < width; ++x) hn::StoreU(hn::LoadU(d, features + x * stride), d, out + x * block);
  }
  for (; x < width; ++x) std::copy_n(features + x * stride, block, out + x * block);
}

void ShuffleRow(const float* features, int stride, int step, int width, int block, float* out) {
  const auto pixel = static_cast<size_t>(stride);
  const auto sub_pixels = static_cast<size_t>(block);
  if (step == 1 && block <= 4 && stride >= block) {
    shuffle_up_to_four(features, pixel, elems(width), sub_pixels, out);
    return;
  }
  for (size_t x = 0; x < elems(width); ++x) {
    for (size_t s = 0; s < sub_pixels; ++s)
      out[x * sub_pixels + s] = features[x * pixel + s * static_cast<size_t>(step)];
  }
}

// ---- side planes

// Calls f(s, x), which makes the vector of phase s at x, and interleaves the phases.
template <typename F>
void interleave_phases(int width, int factor, float* out, F f) {
  const Floats d;
  const size_t n = lanes();
  const auto phases = static_cast<size_t>(factor);
  HWY_ALIGN float part[kMaxLanes];
  for (size_t x = 0; x < elems(width); x += n) {
    float* to = out + x * phases;
    switch (factor) {
      case 2:
        hn::StoreInterleaved2(f(0, x), f(1, x), d, to);
        break;
      case 3:
        hn::StoreInterleaved3(f(0, x), f(1, x), f(2, x), d, to);
        break;
      case 4:
        hn::StoreInterleaved4(f(0, x), f(1, x), f(2, x), f(3, x), d, to);
        break;
      default:
        for (size_t s = 0; s < phases; ++s) {
          hn::Store(f(s, x), d, part);
          for (size_t i = 0; i < std::min(n, elems(width) - x); ++i) to[i * phases + s] = part[i];
        }
    }
  }
}

void EnlargeRow(const float* in, int width, int factor, std::span<const float> weights,
                std::span<const int> offsets, float* out) {
  const Floats d;
  interleave_phases(width, factor, out, [&](size_t s, size_t x) {
    const float* at = in + x + offsets[s] - 1;
    Float sum = hn::Zero(d);
    for (size_t i = 0; i < 4; ++i)
      sum = hn::MulAdd(hn::Set(d, weights[s * 4 + i]), hn::LoadU(d, at + i), sum);
    return sum;
  });
}

void EnlargeRowLinear(const float* in, int width, int factor, std::span<const float> fractions,
                      std::span<const int> offsets, float* out) {
  const Floats d;
  interleave_phases(width, factor, out, [&](size_t s, size_t x) {
    const Float left = hn::LoadU(d, in + x + offsets[s]);
    const Float right = hn::LoadU(d, in + x + offsets[s] + 1);
    return hn::MulAdd(hn::Set(d, fractions[s]), hn::Sub(right, left), left);
  });
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

// ---- colours

void YcbcrToRgb(float* y_r, float* cb_g, float* cr_b, int width) {
  const Floats d;
  for (size_t x = 0; x < elems(width); x += lanes()) {
    const Float y = hn::LoadU(d, y_r + x);
    const Float cb = hn::LoadU(d, cb_g + x);
    const Float cr = hn::LoadU(d, cr_b + x);
    const Float without_blue = hn::MulAdd(hn::Set(d, -0.714136302F), cr, y);
    hn::StoreU(hn::MulAdd(hn::Set(d, 1.402F), cr, y), d, y_r + x);
    hn::StoreU(hn::MulAdd(hn::Set(d, -0.344136298F), cb, without_blue), d, cb_g + x);
    hn::StoreU(hn::MulAdd(hn::Set(d, 1.772F), cb, y), d, cr_b + x);
  }
}

void RgbToLuma(float* r_y, const float* g, const float* b, int width) {
  const Floats d;
  for (size_t x = 0; x < elems(width); x += lanes()) {
    const Float r = hn::LoadU(d, r_y + x);
    hn::StoreU(luma({r, hn::LoadU(d, g + x), hn::LoadU(d, b + x), r}), d, r_y + x);
  }
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

// ---- store

template <typename Sample>
hn::VFromD<Samples<Sample>> quantize(Float value, Float range) {
  const Floats d;
  const Float zero = hn::Zero(d);
  const Float one = hn::Set(d, 1.0F);
  const Float positive = hn::IfThenElseZero(hn::Gt(value, zero), value);  // NaN too becomes 0
  const Float clamped = hn::IfThenElse(hn::Lt(positive, one), positive, one);
  const auto rounded = hn::ConvertTo(Ints(), hn::MulAdd(clamped, range, hn::Set(d, 0.5F)));
  return hn::DemoteTo(Samples<Sample>(), rounded);
}

template <typename Sample>
void store_vector(std::span<const float* const> planes, Float range, size_t x, Sample* pixels) {
  const Floats d;
  const Samples<Sample> ds;
  const auto plane = [&](size_t c) { return quantize<Sample>(hn::LoadU(d, planes[c] + x), range); };
  switch (planes.size()) {
    case 1:
      hn::StoreU(plane(0), ds, pixels);
      break;
    case 2:
      hn::StoreInterleaved2(plane(0), plane(1), ds, pixels);
      break;
    case 3:
      hn::StoreInterleaved3(plane(0), plane(1), plane(2), ds, pixels);
      break;
    default:
      hn::StoreInterleaved4(plane(0), plane(1), plane(2), plane(3), ds, pixels);
      break;
  }
}

template <typename Sample>
void store_samples(std::span<const float* const> planes, DType dtype, int width, Sample* pixels) {
  const Float range = hn::Set(Floats(), sample_range(dtype));
  for_vectors(
      elems(width), [&](size_t x) { store_vector(planes, range, x, pixels + x * planes.size()); },
      [&](size_t x, size_t rest) {
        HWY_ALIGN Sample part[kMaxLanes * 4 + 64];
        store_vector(planes, range, x, part);
        std::memcpy(pixels + x * planes.size(), part, rest * planes.size() * sizeof(Sample));
      });
}

void StoreRow(std::span<const float* const> planes, DType dtype, int width, std::byte* pixels) {
  if (dtype == DType::u16) {
    store_samples(planes, dtype, width, reinterpret_cast<uint16_t*>(pixels));
  } else {
    store_samples(planes, dtype, width, reinterpret_cast<uint8_t*>(pixels));
  }
}

// ---- resample, clip, bfloat16

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

const char* Isa() { return hwy::TargetName(HWY_TARGET); }

}  // namespace upres::session::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upres::session::cpu {

HWY_EXPORT(EncodeRow);
HWY_EXPORT(ShuffleRow);
HWY_EXPORT(EnlargeRow);
HWY_EXPORT(EnlargeRowLinear);
HWY_EXPORT(WeightedSum);
HWY_EXPORT(WeightedSumStrided);
HWY_EXPORT(Blend);
HWY_EXPORT(YcbcrToRgb);
HWY_EXPORT(RgbToLuma);
HWY_EXPORT(NoteSamples);
HWY_EXPORT(StoreRow);
HWY_EXPORT(ResampleRow);
HWY_EXPORT(ClipSamples);
HWY_EXPORT(ToBfloat16);
HWY_EXPORT(ToBfloat16Split);
HWY_EXPORT(Isa);

void encode_row(const std::byte* pixels, DType dtype, int channels, bool rgb_network, int width,
                const EncodedRow& out) {
  HWY_DYNAMIC_DISPATCH(EncodeRow)(pixels, dtype, channels, rgb_network, width, out);
}
void shuffle_row(const float* features, int stride, int step, int width, int block, float* out) {
  HWY_DYNAMIC_DISPATCH(ShuffleRow)(features, stride, step, width, block, out);
}
void enlarge_row(const float* in, int width, int factor, std::span<const float> weights,
                 std::span<const int> offsets, float* out) {
  HWY_DYNAMIC_DISPATCH(EnlargeRow)(in, width, factor, weights, offsets, out);
}
void enlarge_row_linear(const float* in, int width, int factor, std::span<const float> fractions,
                        std::span<const int> offsets, float* out) {
  HWY_DYNAMIC_DISPATCH(EnlargeRowLinear)(in, width, factor, fractions, offsets, out);
}
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
void ycbcr_to_rgb(float* y_r, float* cb_g, float* cr_b, int width) {
  HWY_DYNAMIC_DISPATCH(YcbcrToRgb)(y_r, cb_g, cr_b, width);
}
void rgb_to_luma(float* r_y, const float* g, const float* b, int width) {
  HWY_DYNAMIC_DISPATCH(RgbToLuma)(r_y, g, b, width);
}
void note_samples(const float* samples, int count, kernels::StatisticsWords& statistics) {
  HWY_DYNAMIC_DISPATCH(NoteSamples)(samples, count, statistics);
}
void store_row(std::span<const float* const> planes, DType dtype, int width, std::byte* pixels) {
  HWY_DYNAMIC_DISPATCH(StoreRow)(planes, dtype, width, pixels);
}
void resample_row(const float* in, std::span<const int32_t> first, std::span<const float> weights,
                  uint32_t taps, int width, float* out) {
  HWY_DYNAMIC_DISPATCH(ResampleRow)(in, first, weights, taps, width, out);
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
const char* pixel_isa() { return HWY_DYNAMIC_DISPATCH(Isa)(); }

}  // namespace upres::session::cpu
#endif
