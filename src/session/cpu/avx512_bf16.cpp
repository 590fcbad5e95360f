// The Winograd transforms with bfloat16 results, for processors that convert to it (AVX512-BF16), and a
// message to nobody elsewhere: sessions refuse bf16 there.
#include <hwy/base.h>
#include <hwy/cache_control.h>

#include <cassert>

#include "session/cpu/narrow_kernels.h"
#include "session/cpu/winograd_transforms.h"

#if defined(__x86_64__)
#include <immintrin.h>

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
namespace upres::session::cpu {
namespace {

#include "session/cpu/narrow-inl.h"
#include "session/cpu/winograd-inl.h"

// Zero where less than zero, so NaN stays. (Not _mm512_max_ps, which g++ 12 warns of.)
HWY_INLINE __m512 positive(__m512 v) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_NLT_UQ), v);
}

// 32 channels, so that a vector of bfloat16 is whole.
struct Bfloat16Vector {
  struct Value {
    __m512 low;
    __m512 high;
  };
  static constexpr size_t kLanes = 32;

  static HWY_INLINE Value zero() { return {_mm512_setzero_ps(), _mm512_setzero_ps()}; }
  static HWY_INLINE Value load(const float* from) {
    return {_mm512_loadu_ps(from), _mm512_loadu_ps(from + 16)};
  }
  static HWY_INLINE Value add(Value a, Value b) {
    return {_mm512_add_ps(a.low, b.low), _mm512_add_ps(a.high, b.high)};
  }
  static HWY_INLINE Value sub(Value a, Value b) {
    return {_mm512_sub_ps(a.low, b.low), _mm512_sub_ps(a.high, b.high)};
  }
  static HWY_INLINE Value relu(Value v) { return {positive(v.low), positive(v.high)}; }
  static HWY_INLINE void store(Value v, uint16_t* to) {
    const __m512bh rounded = _mm512_cvtne2ps_pbh(v.high, v.low);
    __builtin_memcpy(to, &rounded, sizeof(rounded));
  }
};

// Pairs of bfloat16, multiplied and added to one sum.
struct Bfloat16Pairs {
  using Sum = __m512;
  using Word = __m512i;
  static constexpr int kRegisters = 32;

  static HWY_INLINE size_t lanes() { return 16; }
  static HWY_INLINE Sum set(float value) { return _mm512_set1_ps(value); }
  static HWY_INLINE Word load(const uint32_t* from) { return _mm512_loadu_si512(from); }
  static HWY_INLINE Word broadcast(uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }
  static HWY_INLINE Sum multiply_add(Sum sum, Word pixels, Word weight) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(pixels), reinterpret_cast<__m512bh>(weight));
  }
  static HWY_INLINE Sum relu(Sum v) { return positive(v); }
  static HWY_INLINE void store(Sum sum, float* to) { _mm512_storeu_ps(to, sum); }
};

}  // namespace

void narrow_row_bf16(const NarrowRow& row, size_t out_stride_elems, float* out) {
  narrow_row_with<Bfloat16Pairs>(row, out_stride_elems, out);
}

void transform_input_bf16(const TileRun& run, size_t out_stride_elems, uint16_t* out) {
  winograd_transform_input<Bfloat16Vector>(run, out_stride_elems, out);
}

void transform_output_bf16(const TileTarget& target, size_t in_stride_elems, const float* in) {
  winograd_transform_output<Bfloat16Vector, uint16_t>(target, in_stride_elems, in);
}

}  // namespace upres::session::cpu
HWY_POP_ATTRIBUTES

#else

namespace upres::session::cpu {

void narrow_row_bf16(const NarrowRow&, size_t, float*) { assert(false); }
void transform_input_bf16(const TileRun&, size_t, uint16_t*) { assert(false); }
void transform_output_bf16(const TileTarget&, size_t, const float*) { assert(false); }

}  // namespace upres::session::cpu
#endif
