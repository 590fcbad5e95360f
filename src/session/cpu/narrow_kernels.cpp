#include "session/cpu/narrow_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "session/cpu/narrow_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace upres::session::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "session/cpu/narrow-inl.h"

struct FloatWords {
  using Tag = hn::CappedTag<float, 16>;
  using Sum = hn::VFromD<Tag>;
  using Word = Sum;
  static constexpr int kRegisters = hn::MaxLanes(Tag()) >= 16 ? 32 : 16;  // AVX-512 has 32 of them

  static HWY_INLINE size_t lanes() { return hn::Lanes(Tag()); }
  static HWY_INLINE Sum set(float value) { return hn::Set(Tag(), value); }
  static HWY_INLINE Word load(const uint32_t* from) {
    return hn::LoadU(Tag(), reinterpret_cast<const float*>(from));
  }
  static HWY_INLINE Word broadcast(uint32_t word) {
    float value;
    hwy::CopyBytes<sizeof(value)>(&word, &value);
    return hn::Set(Tag(), value);
  }
  static HWY_INLINE Sum multiply_add(Sum sum, Word pixels, Word weight) {
    return hn::MulAdd(pixels, weight, sum);
  }
  // NaN stays NaN, as in the graph's definition of ReLU.
  static HWY_INLINE Sum relu(Sum v) { return hn::IfThenElse(hn::Lt(v, hn::Zero(Tag())), hn::Zero(Tag()), v); }
  static HWY_INLINE void store(Sum sum, float* to) { hn::StoreU(sum, Tag(), to); }
};

void NarrowRowF32(const NarrowRow& row, size_t out_stride_elems, float* out) {
  narrow_row_with<FloatWords>(row, out_stride_elems, out);
}

// Blocks of four pixels by four words.
void TransposeWords(const uint32_t* pixels, int width, int words, size_t plane_stride_words,
                    uint32_t* planes) {
  const auto count = static_cast<size_t>(words);
  size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<uint32_t, 4> d;
  if (hn::Lanes(d) == 4) {
    const hn::Repartition<uint64_t, decltype(d)> d2;
    for (; x + 4 <= static_cast<size_t>(width); x += 4) {
      for (size_t w = 0; w < count; w += 4) {
        const uint32_t* from = pixels + x * count + w;
        const auto a = hn::LoadU(d, from);
        const auto b = hn::LoadU(d, from + count);
        const auto c = hn::LoadU(d, from + 2 * count);
        const auto e = hn::LoadU(d, from + 3 * count);
        const auto ab_low = hn::BitCast(d2, hn::InterleaveLower(d, a, b));
        const auto ab_high = hn::BitCast(d2, hn::InterleaveUpper(d, a, b));
        const auto ce_low = hn::BitCast(d2, hn::InterleaveLower(d, c, e));
        const auto ce_high = hn::BitCast(d2, hn::InterleaveUpper(d, c, e));
        uint32_t* to = planes + w * plane_stride_words + x;
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, ab_low, ce_low)), d, to);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, ab_low, ce_low)), d, to + plane_stride_words);
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, ab_high, ce_high)), d, to + 2 * plane_stride_words);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, ab_high, ce_high)), d, to + 3 * plane_stride_words);
      }
    }
  }
#endif
  for (; x < static_cast<size_t>(width); ++x) {
    for (size_t w = 0; w < count; ++w) planes[w * plane_stride_words + x] = pixels[x * count + w];
  }
}

}  // namespace upres::session::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upres::session::cpu {

HWY_EXPORT(NarrowRowF32);
HWY_EXPORT(TransposeWords);

void narrow_row(const NarrowRow& row, size_t out_stride_elems, float* out) {
  HWY_DYNAMIC_DISPATCH(NarrowRowF32)(row, out_stride_elems, out);
}
void transpose_words(const uint32_t* pixels, int width, int words, size_t plane_stride_words,
                     uint32_t* planes) {
  HWY_DYNAMIC_DISPATCH(TransposeWords)(pixels, width, words, plane_stride_words, planes);
}

}  // namespace upres::session::cpu
#endif
