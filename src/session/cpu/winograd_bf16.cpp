// The Winograd transforms with bfloat16 results, for processors that convert to it (AVX512-BF16), and a
// message to nobody elsewhere: sessions refuse bf16 there.
#include <hwy/base.h>

#include <cassert>

#include "session/cpu/winograd_transforms.h"

#if defined(__x86_64__)
#include <immintrin.h>

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
namespace upres::session::cpu {
namespace {

#include "session/cpu/winograd-inl.h"

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
  // Zero where less than zero, so NaN stays. (Not _mm512_max_ps, which g++ 12 warns of.)
  static HWY_INLINE __m512 relu(__m512 v) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_NLT_UQ), v);
  }
  static HWY_INLINE Value relu(Value v) { return {relu(v.low), relu(v.high)}; }
  static HWY_INLINE void store(Value v, uint16_t* to) {
    const __m512bh rounded = _mm512_cvtne2ps_pbh(v.high, v.low);
    __builtin_memcpy(to, &rounded, sizeof(rounded));
  }
};

}  // namespace

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

void transform_input_bf16(const TileRun&, size_t, uint16_t*) { assert(false); }
void transform_output_bf16(const TileTarget&, size_t, const float*) { assert(false); }

}  // namespace upres::session::cpu
#endif
