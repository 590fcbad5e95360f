// The reach of a pixel, carried forward through the graph.
//
// Of a value with `scale` pixels per input pixel, pixel x reads the input pixels floor((x - before * scale) /
// scale) to floor((x + after * scale) / scale), where before and after are distances in input pixels. A
// convolution at that scale adds its taps divided by the scale; a pixel shuffle only changes the scale. As
// floor(floor(x / a) / b) = floor(x / (a b)), rounding once at the end is exact.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

#include "graph/extents.h"

namespace upres::graph {
namespace {

// A fraction with a small denominator. When it would grow beyond kLargestDenominator (no sensible network
// does) it is rounded up: a halo may be too large, never too small.
struct Fraction {
  static constexpr int64_t kLargestDenominator = 4096;
  int64_t numerator = 0;
  int64_t denominator = 1;

  static Fraction of(int64_t numerator, int64_t denominator) {
    const int64_t divisor = std::gcd(numerator, denominator);
    if (divisor > 1) return of(numerator / divisor, denominator / divisor);
    if (denominator <= kLargestDenominator) return {numerator, denominator};
    return {Fraction{numerator, denominator}.ceil(), 1};
  }
  [[nodiscard]] int64_t ceil() const {
    return numerator > 0 ? (numerator + denominator - 1) / denominator : -(-numerator / denominator);
  }
};

// Distances in input pixels; far more than any picture is wide, far less than what overflows.
constexpr int64_t kFarthest_px = int64_t{1} << 31;

Fraction sum(const Fraction& a, const Fraction& b) {
  const int64_t denominator = std::lcm(a.denominator, b.denominator);
  if (denominator > Fraction::kLargestDenominator) {
    return Fraction::of(std::clamp(a.ceil() + b.ceil(), -kFarthest_px, kFarthest_px), 1);
  }
  const int64_t numerator =
      a.numerator * (denominator / a.denominator) + b.numerator * (denominator / b.denominator);
  const int64_t farthest = kFarthest_px * denominator;
  return Fraction::of(std::clamp(numerator, -farthest, farthest), denominator);
}

Fraction larger(const Fraction& a, const Fraction& b) {
  return a.numerator * b.denominator < b.numerator * a.denominator ? b : a;
}

// What one axis of a value sees of the input.
struct Reach {
  Fraction before;
  Fraction after;
  Fraction scale = {1, 1};  // pixels per input pixel

  // Adds taps at the value's own resolution.
  void extend(int64_t taps_before, int64_t taps_after) {
    before = sum(before, in_input_pixels(taps_before));
    after = sum(after, in_input_pixels(taps_after));
  }
  // A scale that is no short fraction any more is made a little smaller, which only makes later reaches
  // larger.
  void enlarge(int64_t by_numerator, int64_t by_denominator) {
    const int64_t numerator = scale.numerator * by_numerator;
    const int64_t denominator = scale.denominator * by_denominator;
    const int64_t divisor = std::gcd(numerator, denominator);
    scale = {numerator / divisor, denominator / divisor};
    while (std::max(scale.numerator, scale.denominator) > kFarthest_px) {
      scale = {std::max<int64_t>(1, scale.numerator / 2), scale.denominator / 2 + 1};
    }
  }
  void merge(const Reach& other) {
    before = larger(before, other.before);
    after = larger(after, other.after);
  }

 private:
  [[nodiscard]] Fraction in_input_pixels(int64_t pixels) const {
    return Fraction::of(pixels * scale.denominator, scale.numerator);
  }
};

struct PixelReach {
  Reach x;
  Reach y;
};
using Seen = std::optional<PixelReach>;  // nullopt: does not depend on the input

int side_reach_px(SideFilter filter) { return filter == SideFilter::bicubic ? 2 : 1; }

// Lanczos with three lobes, widened when it reduces; one more because its centre lies up to half a sample
// off.
int64_t resample_reach_px(const Resample& resample) {
  const double reduction = static_cast<double>(resample.in_total_px) / resample.out_total_px;
  return static_cast<int64_t>(std::ceil(3.0 * std::max(1.0, reduction))) + 1;
}

void enlarge(PixelReach& reach, int64_t factor) {
  reach.x.enlarge(factor, 1);
  reach.y.enlarge(factor, 1);
}

// One overload an operator: what its outputs see.
class SeeThrough {
 public:
  SeeThrough(const Node& node, const std::vector<Seen>& seen) : node_(node), seen_(seen) {}

  Seen operator()(const Conv& conv) const { return convolved(conv, input(0)); }

  Seen operator()(const ConvPair& pair) const {
    return convolved(pair.second, convolved(pair.first, input(0)));
  }

  Seen operator()(const DepthToSpace& shuffle) const {
    Seen reach = input(0);
    if (reach) enlarge(*reach, shuffle.block);
    return reach;
  }

  Seen operator()(const Decode& decode) const {
    Seen picture = input(0);
    if (picture) enlarge(*picture, decode.block);
    Seen side = node_.inputs.size() > 1 ? input(1) : std::nullopt;
    if (!side) return picture;
    const int taps = side_reach_px(decode.filter);
    side->x.extend(taps, taps);
    side->y.extend(taps, taps);
    enlarge(*side, decode.factor);
    if (!picture) return side;
    picture->x.merge(side->x);
    picture->y.merge(side->y);
    return picture;
  }

  Seen operator()(const Resample& resample) const {
    Seen reach = input(0);
    if (!reach) return reach;
    Reach& axis = resample.axis == Axis::x ? reach->x : reach->y;
    const int64_t taps = resample_reach_px(resample);
    axis.extend(taps, taps);
    axis.enlarge(resample.out_total_px, resample.in_total_px);
    return reach;
  }

  template <typename Elementwise>
  Seen operator()(const Elementwise&) const {
    return input(0);
  }

 private:
  static Seen convolved(const Conv& conv, Seen reach) {
    if (!reach) return reach;
    reach->x.extend(conv.padding.left, conv.kernel_width - 1 - conv.padding.left);
    reach->y.extend(conv.padding.top, conv.kernel_height - 1 - conv.padding.top);
    enlarge(*reach, conv.shuffle.block);
    return reach;
  }

  const Seen& input(size_t index) const { return seen_[node_.inputs[index]]; }

  const Node& node_;
  const std::vector<Seen>& seen_;
};

int halo_px(const Fraction& reach) {
  return static_cast<int>(std::clamp<int64_t>(reach.ceil(), 0, kFarthest_px - 1));
}

}  // namespace

Halo receptive_field(const Graph& graph) {
  std::vector<Seen> seen(graph.values().size());
  if (!graph.inputs().empty()) seen[graph.inputs().front()] = PixelReach{};
  for (const Node& node : graph.nodes()) {
    const Seen reach = std::visit(SeeThrough(node, seen), node.op);
    for (const ValueId id : node.outputs) seen[id] = reach;
  }
  Halo halo;
  for (const ValueId id : graph.outputs()) {
    if (!seen[id]) continue;
    const auto& [x, y] = *seen[id];
    halo.left_px = std::max(halo.left_px, halo_px(x.before));
    halo.right_px = std::max(halo.right_px, halo_px(x.after));
    halo.top_px = std::max(halo.top_px, halo_px(y.before));
    halo.bottom_px = std::max(halo.bottom_px, halo_px(y.after));
  }
  return halo;
}

}  // namespace upres::graph
