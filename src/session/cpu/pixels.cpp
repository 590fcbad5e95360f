#include "session/cpu/pixels.h"

#include <algorithm>
#include <cstring>

#include "kernels/pixels/color.h"
#include "session/cpu/samples.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "session/cpu/pixels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace upres::session::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "session/cpu/vectors-inl.h"

template <typename Sample>
using Samples = hn::Rebind<Sample, Floats>;

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
  if (plane != nullptr) store_some(samples, count, plane + x);
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

const char* Isa() { return hwy::TargetName(HWY_TARGET); }

}  // namespace upres::session::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upres::session::cpu {

HWY_EXPORT(EncodeRow);
HWY_EXPORT(ShuffleRow);
HWY_EXPORT(EnlargeRow);
HWY_EXPORT(EnlargeRowLinear);
HWY_EXPORT(YcbcrToRgb);
HWY_EXPORT(RgbToLuma);
HWY_EXPORT(StoreRow);
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
void ycbcr_to_rgb(float* y_r, float* cb_g, float* cr_b, int width) {
  HWY_DYNAMIC_DISPATCH(YcbcrToRgb)(y_r, cb_g, cr_b, width);
}
void rgb_to_luma(float* r_y, const float* g, const float* b, int width) {
  HWY_DYNAMIC_DISPATCH(RgbToLuma)(r_y, g, b, width);
}
void store_row(std::span<const float* const> planes, DType dtype, int width, std::byte* pixels) {
  HWY_DYNAMIC_DISPATCH(StoreRow)(planes, dtype, width, pixels);
}
const char* pixel_isa() { return HWY_DYNAMIC_DISPATCH(Isa)(); }

}  // namespace upres::session::cpu
#endif
