#include "session/cpu/winograd_transforms.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "session/cpu/winograd_transforms.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace upres::session::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "session/cpu/winograd-inl.h"

// At most 16 lanes, so that vectors divide kWinogradChannels.
struct FloatVector {
  using Tag = hn::CappedTag<float, kWinogradChannels>;
  using Value = hn::VFromD<Tag>;
  static constexpr size_t kLanes = hn::MaxLanes(Tag());

  static HWY_INLINE Value zero() { return hn::Zero(Tag()); }
  static HWY_INLINE Value load(const float* from) { return hn::LoadU(Tag(), from); }
  static HWY_INLINE Value add(Value a, Value b) { return hn::Add(a, b); }
  static HWY_INLINE Value sub(Value a, Value b) { return hn::Sub(a, b); }
  // NaN stays NaN, as in the graph's definition of ReLU.
  static HWY_INLINE Value relu(Value v) {
    return hn::IfThenElse(hn::Lt(v, hn::Zero(Tag())), hn::Zero(Tag()), v);
  }
  static HWY_INLINE void store(Value v, float* to) { hn::StoreU(v, Tag(), to); }
};

void TransformInput(const TileRun& run, size_t out_stride_elems, float* out) {
  winograd_transform_input<FloatVector>(run, out_stride_elems, out);
}

void TransformOutput(const TileTarget& target, size_t in_stride_elems, const float* in) {
  winograd_transform_output<FloatVector, float>(target, in_stride_elems, in);
}

}  // namespace upres::session::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upres::session::cpu {

HWY_EXPORT(TransformInput);
HWY_EXPORT(TransformOutput);

void transform_input(const TileRun& run, size_t out_stride_elems, float* out) {
  HWY_DYNAMIC_DISPATCH(TransformInput)(run, out_stride_elems, out);
}
void transform_output(const TileTarget& target, size_t in_stride_elems, const float* in) {
  HWY_DYNAMIC_DISPATCH(TransformOutput)(target, in_stride_elems, in);
}

}  // namespace upres::session::cpu
#endif
