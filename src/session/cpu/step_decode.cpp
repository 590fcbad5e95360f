// Decode: pixel shuffle, side planes enlarged, colours, rounding and statistics, one output row at a time in
// scratch memory that stays in the processor's cache.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "kernels/resize/side_filter.h"
#include "session/cpu/pixels.h"
#include "session/cpu/samples.h"
#include "session/cpu/steps.h"

namespace upres::session::cpu {
namespace {

constexpr size_t kCachedRows = 4;     // enlarged side rows that an output row mixes
constexpr size_t kMaxSidePlanes = 3;  // Cb, Cr, alpha
constexpr size_t kReplicated = 4;     // samples beside a side row: 2 are read, 4 keep it aligned

// How one axis of the side planes is enlarged: per phase of the output its taps.
struct Phases {
  std::vector<float> weights;    // [phase][4], bicubic
  std::vector<float> fractions;  // [phase]
  std::vector<int> offsets;      // [phase]: 0 or -1
};

Phases make_phases(int factor) {
  Phases phases;
  for (int s = 0; s < factor; ++s) {
    const kernels::SidePosition at = kernels::side_position(s, factor);
    const auto weights = kernels::bicubic_weights(at.fraction);
    phases.weights.insert(phases.weights.end(), weights.begin(), weights.end());
    phases.fractions.push_back(at.fraction);
    phases.offsets.push_back(at.base);
  }
  return phases;
}

// Scratch rows of one worker.
struct Scratch {
  std::vector<float> floats;
  std::array<float*, 3> colors = {};
  std::array<float*, kMaxSidePlanes> side = {};  // enlarged on both axes
  std::array<std::array<float*, kCachedRows>, kMaxSidePlanes> enlarged =
      {};                                                              // on x only, side row y in slot y % 4
  std::array<std::array<int, kCachedRows>, kMaxSidePlanes> held = {};  // which side row that is; -1 none
  float* padded = nullptr;                                             // a side row with replicated ends
  kernels::StatisticsWords statistics = {};

  void allocate(size_t out_width, size_t side_width) {
    const size_t row = out_width + kRowSlack_elems;
    const size_t side_row = side_width + 2 * kReplicated + kRowSlack_elems;
    floats.assign(row * (3 + kMaxSidePlanes * (1 + kCachedRows)) + side_row, 0.0F);
    float* next = floats.data();
    const auto take = [&next](size_t elems) {
      float* taken = next;
      next += elems;
      return taken;
    };
    for (float*& plane : colors) plane = take(row);
    for (float*& plane : side) plane = take(row);
    for (auto& rows : enlarged) {
      for (float*& plane : rows) plane = take(row);
    }
    padded = take(side_row);
  }
  void forget_rows() {
    for (auto& rows : held) rows.fill(-1);
  }
};

class DecodeStep final : public Step {
 public:
  DecodeStep(const graph::Graph& graph, const graph::Node& node)
      : node_(node),
        decode_(std::get<graph::Decode>(node.op)),
        picture_(graph.value(node.outputs[0]).type),
        has_side_(node.inputs.size() > 1),
        phases_(make_phases(decode_.factor)) {}

  [[nodiscard]] std::vector<Port> inputs() const override {
    std::vector<Port> ports = {{Element::f32, Order::channels_last}};
    if (has_side_) ports.push_back({Element::f32, Order::planar});
    return ports;
  }
  [[nodiscard]] std::vector<Port> outputs() const override {
    const bool planar = picture_.layout == Layout::planar;
    return {{element_of(picture_.dtype), planar ? Order::planar : Order::channels_last},
            {Element::u32, Order::channels_last}};
  }

  Status prepare(const JobShape& shape) override {
    const Extent& out = shape.extents[node_.outputs[0]];
    const Extent side = has_side_ ? shape.extents[node_.inputs[1]] : Extent{};
    side_height_ = side.height_px;
    scratch_.resize(static_cast<size_t>(shape.workers));
    for (Scratch& scratch : scratch_) {
      scratch.allocate(static_cast<size_t>(out.width_px), static_cast<size_t>(side.width_px));
      scratch.statistics = {};
    }
    return {};
  }

  [[nodiscard]] RowSpan rows_read(size_t index, int y) const override {
    if (index == 0) return {y / decode_.block, y / decode_.block + 1};
    const int base = kernels::side_position(y, decode_.factor).base;
    const bool bicubic = decode_.filter == graph::SideFilter::bicubic;
    const int first = bicubic ? base - 1 : base;
    const int last = bicubic ? base + 2 : base + 1;
    return {std::clamp(first, 0, side_height_ - 1), std::clamp(last, 0, side_height_ - 1) + 1};
  }

  Status run(int worker, const RowSpan& rows, std::span<const Rows> in,
             std::span<const MutableRows> out) override {
    Scratch& scratch = scratch_[static_cast<size_t>(worker)];
    scratch.forget_rows();
    for (int y = rows.begin; y < rows.end; ++y) decode_row(y, in, out[0], scratch);
    return {};
  }

  void finish(std::span<const MutableRows> out) override {
    kernels::StatisticsWords total = {};
    for (const Scratch& scratch : scratch_) {
      total[0] += scratch.statistics[0];
      total[1] += scratch.statistics[1];
      total[2] = std::max(total[2], scratch.statistics[2]);
      total[3] = std::max(total[3], scratch.statistics[3]);
    }
    if (out[1].data != nullptr) std::memcpy(out[1].data, total.data(), sizeof(total));
  }

  [[nodiscard]] std::string kernel() const override { return pixel_kernel(); }

 private:
  [[nodiscard]] bool is_rgb() const { return decode_.colors == graph::NetworkColors::rgb; }
  [[nodiscard]] bool has_alpha() const { return picture_.channels == 2 || picture_.channels == 4; }
  [[nodiscard]] bool has_colors() const { return picture_.channels >= 3; }
  [[nodiscard]] size_t chroma_planes() const { return !is_rgb() && has_colors() ? 2 : 0; }

  void decode_row(int y, std::span<const Rows> in, const MutableRows& picture, Scratch& scratch) const {
    const Shuffle shuffle = {decode_.mode, decode_.block, is_rgb() ? 3 : 1};
    for (int c = 0; c < shuffle.channels; ++c)
      shuffle_channel(shuffle, in[0], c, y, scratch.colors[static_cast<size_t>(c)]);
    for (size_t plane = 0; plane < chroma_planes() + (has_alpha() ? 1 : 0); ++plane) {
      enlarge_side(y, in[1], plane, scratch);
    }
    const std::array<float*, 4> planes = colored(picture.width_px, scratch);
    const size_t colors = has_colors() ? 3 : 1;
    for (size_t c = 0; c < colors; ++c) note_samples(planes[c], picture.width_px, scratch.statistics);
    write(y, planes, picture);
  }

  // Side row y (clamped to the plane), enlarged on x, from the cache where it is there.
  const float* enlarged_row(int y, const Rows& side, size_t plane, Scratch& scratch) const {
    const int row = std::clamp(y, 0, side_height_ - 1);
    const size_t slot = static_cast<size_t>(row) % kCachedRows;
    float* out = scratch.enlarged[plane][slot];
    if (scratch.held[plane][slot] == row) return out;
    scratch.held[plane][slot] = row;
    const auto width = static_cast<size_t>(side.width_px);
    const auto* samples = reinterpret_cast<const float*>(side.row(row, static_cast<int>(plane)));
    float* padded = scratch.padded;
    std::fill_n(padded, kReplicated, samples[0]);
    std::copy_n(samples, width, padded + kReplicated);
    std::fill_n(padded + kReplicated + width, kReplicated, samples[width - 1]);
    if (decode_.filter == graph::SideFilter::bicubic) {
      enlarge_row(padded + kReplicated, side.width_px, decode_.factor, phases_.weights, phases_.offsets, out);
    } else {
      enlarge_row_linear(padded + kReplicated, side.width_px, decode_.factor, phases_.fractions,
                         phases_.offsets, out);
    }
    return out;
  }

  void enlarge_side(int y, const Rows& side, size_t plane, Scratch& scratch) const {
    const kernels::SidePosition at = kernels::side_position(y, decode_.factor);
    const int out_width = side.width_px * decode_.factor;
    float* out = scratch.side[plane];
    if (decode_.filter == graph::SideFilter::bilinear) {
      const float* top = enlarged_row(at.base, side, plane, scratch);
      blend(top, enlarged_row(at.base + 1, side, plane, scratch), at.fraction, out_width, out);
      return;
    }
    std::array<const float*, 4> rows = {};
    for (int j = 0; j < 4; ++j)
      rows[static_cast<size_t>(j)] = enlarged_row(at.base - 1 + j, side, plane, scratch);
    weighted_sum(rows, kernels::bicubic_weights(at.fraction), out_width, out);
  }

  // The picture's planes in its order.
  [[nodiscard]] std::array<float*, 4> colored(int width, Scratch& scratch) const {
    std::array<float*, 4> planes = {scratch.colors[0], scratch.colors[1], scratch.colors[2], nullptr};
    if (has_colors() && !is_rgb()) {
      planes = {scratch.colors[0], scratch.side[0], scratch.side[1], nullptr};
      ycbcr_to_rgb(planes[0], planes[1], planes[2], width);
    } else if (!has_colors() && is_rgb()) {
      rgb_to_luma(planes[0], planes[1], planes[2], width);
    }
    if (has_alpha()) planes[static_cast<size_t>(picture_.channels) - 1] = scratch.side[chroma_planes()];
    return planes;
  }

  void write(int y, const std::array<float*, 4>& planes, const MutableRows& picture) const {
    const auto channels = static_cast<size_t>(picture_.channels);
    if (picture_.layout == Layout::planar) {
      for (size_t c = 0; c < channels; ++c) {
        std::memcpy(picture.row(y, static_cast<int>(c)), planes[c],
                    static_cast<size_t>(picture.width_px) * sizeof(float));
      }
      return;
    }
    const std::array<const float*, 4> samples = {planes[0], planes[1], planes[2], planes[3]};
    store_row(std::span(samples).first(channels), picture_.dtype, picture.width_px, picture.row(y));
  }

  const graph::Node& node_;
  const graph::Decode& decode_;
  const TensorType picture_;
  const bool has_side_;
  const Phases phases_;
  int side_height_ = 0;
  std::vector<Scratch> scratch_;  // [worker]
};

}  // namespace

std::unique_ptr<Step> make_decode_step(const graph::Graph& graph, const graph::Node& node) {
  return std::make_unique<DecodeStep>(graph, node);
}

}  // namespace upres::session::cpu
