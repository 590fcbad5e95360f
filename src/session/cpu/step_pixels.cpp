// The steps around the network that work row by row: Encode, DepthToSpace, Clip, Resample, Store,
// conversions.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "kernels/pixels/depth_to_space_reference.h"
#include "kernels/resize/lanczos.h"
#include "session/cpu/pixels.h"
#include "session/cpu/samples.h"
#include "session/cpu/steps.h"

namespace upres::session::cpu {
namespace {

float* floats(std::byte* bytes) { return reinterpret_cast<float*>(bytes); }
const float* floats(const std::byte* bytes) { return reinterpret_cast<const float*>(bytes); }

// Steps whose rows are computed each for itself; row y reads row y unless a step says otherwise.
class RowStep : public Step {
 public:
  Status prepare(const JobShape&) override { return {}; }
  [[nodiscard]] RowSpan rows_read(size_t, int y) const override { return {y, y + 1}; }
  Status run(int, const RowSpan& rows, std::span<const Rows> in, std::span<const MutableRows> out) override {
    for (int y = rows.begin; y < rows.end; ++y) run_row(y, in, out);
    return {};
  }
  [[nodiscard]] std::string kernel() const override { return pixel_kernel(); }

 protected:
  virtual void run_row(int y, std::span<const Rows> in, std::span<const MutableRows> out) const = 0;
};

class EncodeStep final : public RowStep {
 public:
  EncodeStep(const graph::Graph& graph, const graph::Node& node)
      : pixels_(graph.value(node.inputs[0]).type),
        rgb_network_(std::get<graph::Encode>(node.op).colors == graph::NetworkColors::rgb),
        has_side_(node.outputs.size() > 1) {}

  [[nodiscard]] std::vector<Port> inputs() const override {
    return {{element_of(pixels_.dtype), Order::channels_last}};
  }
  [[nodiscard]] std::vector<Port> outputs() const override {
    return std::vector<Port>(has_side_ ? 2 : 1, Port{Element::f32, Order::planar});
  }

 private:
  void run_row(int y, std::span<const Rows> in, std::span<const MutableRows> out) const override {
    EncodedRow row;
    for (int c = 0; c < out[0].channels; ++c) row.colors[static_cast<size_t>(c)] = floats(out[0].row(y, c));
    if (has_side_) {
      const bool has_chroma = !rgb_network_ && pixels_.channels >= 3;
      const bool has_alpha = pixels_.channels == 2 || pixels_.channels == 4;
      if (has_chroma) row.cb = floats(out[1].row(y, 0));
      if (has_chroma) row.cr = floats(out[1].row(y, 1));
      if (has_alpha) row.alpha = floats(out[1].row(y, has_chroma ? 2 : 0));
    }
    encode_row(in[0].row(y), pixels_.dtype, pixels_.channels, rgb_network_, in[0].width_px, row);
  }

  const TensorType pixels_;
  const bool rgb_network_;
  const bool has_side_;
};

class ShuffleStep final : public RowStep {
 public:
  ShuffleStep(const graph::DepthToSpace& shuffle, int channels)
      : shuffle_{shuffle.mode, shuffle.block, channels} {}

  [[nodiscard]] std::vector<Port> inputs() const override { return {{Element::f32, Order::channels_last}}; }
  [[nodiscard]] std::vector<Port> outputs() const override { return {{Element::f32, Order::planar}}; }
  [[nodiscard]] RowSpan rows_read(size_t, int y) const override {
    return {y / shuffle_.block, y / shuffle_.block + 1};
  }

 private:
  void run_row(int y, std::span<const Rows> in, std::span<const MutableRows> out) const override {
    for (int c = 0; c < shuffle_.channels; ++c)
      shuffle_channel(shuffle_, in[0], c, y, floats(out[0].row(y, c)));
  }

  const Shuffle shuffle_;
};

// Identity is a clip to everything.
class ClipStep final : public RowStep {
 public:
  explicit ClipStep(const graph::Node& node) {
    if (const auto* clip = std::get_if<graph::Clip>(&node.op)) clip_ = *clip;
  }

  [[nodiscard]] std::vector<Port> inputs() const override { return {{Element::f32, Order::channels_last}}; }
  [[nodiscard]] std::vector<Port> outputs() const override { return {{Element::f32, Order::channels_last}}; }

 private:
  void run_row(int y, std::span<const Rows> in, std::span<const MutableRows> out) const override {
    const auto count = static_cast<size_t>(in[0].width_px) * static_cast<size_t>(in[0].channels);
    clip_samples(floats(in[0].row(y)), count, clip_.min, clip_.max, floats(out[0].row(y)));
  }

  graph::Clip clip_ = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
};

class StoreStep final : public RowStep {
 public:
  StoreStep(const graph::Graph& graph, const graph::Node& node)
      : picture_(graph.value(node.outputs[0]).type) {}

  [[nodiscard]] std::vector<Port> inputs() const override { return {{Element::f32, Order::planar}}; }
  [[nodiscard]] std::vector<Port> outputs() const override {
    return {{element_of(picture_.dtype), Order::channels_last}};
  }

 private:
  void run_row(int y, std::span<const Rows> in, std::span<const MutableRows> out) const override {
    std::array<const float*, 4> planes = {};
    for (int c = 0; c < picture_.channels; ++c) planes[static_cast<size_t>(c)] = floats(in[0].row(y, c));
    store_row(std::span(planes).first(static_cast<size_t>(picture_.channels)), picture_.dtype, in[0].width_px,
              out[0].row(y));
  }

  const TensorType picture_;
};

class ResampleStep final : public RowStep {
 public:
  explicit ResampleStep(const graph::Node& node)
      : node_(node), axis_(std::get<graph::Resample>(node.op).axis) {}

  [[nodiscard]] std::vector<Port> inputs() const override { return {{Element::f32, Order::planar}}; }
  [[nodiscard]] std::vector<Port> outputs() const override { return {{Element::f32, Order::planar}}; }

  Status prepare(const JobShape& shape) override {
    table_ = kernels::make_resample_table(shape.graph, node_, shape.extents, shape.window);
    const Extent& in = shape.extents[node_.inputs[0]];
    drop_taps_beyond(static_cast<size_t>(axis_ == graph::Axis::x ? in.width_px : in.height_px));
    if (axis_ == graph::Axis::x) lay_out_for_vectors();
    return {};
  }

  [[nodiscard]] RowSpan rows_read(size_t, int y) const override {
    if (axis_ == graph::Axis::x) return {y, y + 1};
    const int first = table_.first_samples[static_cast<size_t>(y)];
    return {first, first + static_cast<int>(table_.taps)};
  }

 private:
  // A window may end before the last taps. Their weights are zero, but what lies there may be NaN, or not
  // ours.
  void drop_taps_beyond(size_t in_count) {
    if (table_.taps <= in_count) return;
    std::vector<float> weights;
    for (size_t at = 0; at < table_.first_samples.size(); ++at) {
      const auto begin = table_.weights.begin() + static_cast<std::ptrdiff_t>(at * table_.taps);
      weights.insert(weights.end(), begin, begin + static_cast<std::ptrdiff_t>(in_count));
    }
    table_.weights = std::move(weights);
    table_.taps = static_cast<uint32_t>(in_count);
  }

  // From [out][taps] to [taps][out], padded with zeros to whole vectors.
  void lay_out_for_vectors() {
    const size_t width = table_.first_samples.size();
    const size_t padded = (width + kRowSlack_elems - 1) / kRowSlack_elems * kRowSlack_elems;
    std::vector<float> weights(padded * table_.taps);
    for (size_t x = 0; x < width; ++x) {
      for (size_t k = 0; k < table_.taps; ++k) weights[k * padded + x] = table_.weights[x * table_.taps + k];
    }
    table_.first_samples.resize(padded);
    table_.weights = std::move(weights);
  }

  void run_row(int y, std::span<const Rows> in, std::span<const MutableRows> out) const override {
    for (int c = 0; c < out[0].channels; ++c) {
      if (axis_ == graph::Axis::x) {
        resample_row(floats(in[0].row(y, c)), table_.first_samples, table_.weights, table_.taps,
                     out[0].width_px, floats(out[0].row(y, c)));
      } else {
        mix_rows(y, c, in[0], out[0]);
      }
    }
  }

  void mix_rows(int y, int c, const Rows& in, const MutableRows& out) const {
    const auto at = static_cast<size_t>(y);
    const std::span<const float> weights = std::span(table_.weights).subspan(at * table_.taps, table_.taps);
    weighted_sum(floats(in.row(table_.first_samples[at], c)), in.row_stride_bytes / sizeof(float), weights,
                 out.width_px, floats(out.row(y, c)));
  }

  const graph::Node& node_;
  const graph::Axis axis_;
  kernels::ResampleTable table_;
};

class ConversionStep final : public RowStep {
 public:
  ConversionStep(const Port& from, const Port& to) : from_(from), to_(to) {}

  [[nodiscard]] std::vector<Port> inputs() const override { return {from_}; }
  [[nodiscard]] std::vector<Port> outputs() const override { return {to_}; }

 private:
  void run_row(int y, std::span<const Rows> in, std::span<const MutableRows> out) const override {
    const bool same_order = from_.order == to_.order || in[0].channels == 1;
    if (same_order && to_.order == Order::planar) {
      for (int c = 0; c < in[0].channels; ++c)
        std::memcpy(out[0].row(y, c), in[0].row(y, c), row_floats(in[0]) * 4);
    } else if (same_order) {
      write(floats(in[0].row(y)), row_floats(in[0]) * static_cast<size_t>(in[0].channels), out[0].row(y));
    } else if (to_.order == Order::planar) {
      scatter(y, in[0], out[0]);
    } else {
      gather(y, in[0], out[0]);
    }
  }

  static size_t row_floats(const Rows& rows) { return static_cast<size_t>(rows.width_px); }

  void write(const float* samples, size_t count, std::byte* out) const {
    switch (to_.element) {
      case Element::bf16:
        to_bfloat16(samples, count, reinterpret_cast<uint16_t*>(out));
        break;
      case Element::bf16_split:
        to_bfloat16_split(samples, count, reinterpret_cast<uint16_t*>(out));
        break;
      default:
        std::memcpy(out, samples, count * sizeof(float));
        break;
    }
  }

  void scatter(int y, const Rows& in, const MutableRows& out) const {
    const auto channels = static_cast<size_t>(in.channels);
    const float* pixels = floats(in.row(y));
    for (size_t c = 0; c < channels; ++c) {
      float* plane = floats(out.row(y, static_cast<int>(c)));
      for (size_t x = 0; x < row_floats(in); ++x) plane[x] = pixels[x * channels + c];
    }
  }

  // A few pixels at a time: collected, then written in the wanted element type.
  void gather(int y, const Rows& in, const MutableRows& out) const {
    constexpr size_t kSamples = 1024;
    std::array<float, kSamples> samples;
    const auto channels = static_cast<size_t>(in.channels);
    const size_t pixels_at_once = std::max<size_t>(1, kSamples / channels);
    std::byte* to = out.row(y);
    for (size_t x = 0; x < row_floats(in); x += pixels_at_once) {
      const size_t pixels = std::min(pixels_at_once, row_floats(in) - x);
      for (size_t first = 0; first < channels; first += kSamples) {
        const size_t some = std::min(kSamples, channels - first);
        for (size_t c = 0; c < some; ++c) {
          const float* plane = floats(in.row(y, static_cast<int>(first + c))) + x;
          for (size_t i = 0; i < pixels; ++i) samples[i * some + c] = plane[i];
        }
        write(samples.data(), pixels * some, to);
        to += pixels * some * size_bytes(to_.element);
      }
    }
  }

  const Port from_;
  const Port to_;
};

}  // namespace

void shuffle_channel(const Shuffle& shuffle, const Rows& features, int c, int y, float* out) {
  const auto [mode, block, channels] = shuffle;
  const int first = kernels::shuffled_channel(mode, block, channels, c, y % block, 0);
  const int step = mode == graph::ShuffleMode::crd ? 1 : channels;
  shuffle_row(floats(features.row(y / block)) + first, features.channels, step, features.width_px, block,
              out);
}

std::string pixel_kernel() { return std::string("hwy:") + pixel_isa(); }

std::unique_ptr<Step> make_encode_step(const graph::Graph& graph, const graph::Node& node) {
  return std::make_unique<EncodeStep>(graph, node);
}
std::unique_ptr<Step> make_shuffle_step(const graph::Graph& graph, const graph::Node& node) {
  return std::make_unique<ShuffleStep>(std::get<graph::DepthToSpace>(node.op),
                                       graph.value(node.outputs[0]).type.channels);
}
std::unique_ptr<Step> make_clip_step(const graph::Node& node) { return std::make_unique<ClipStep>(node); }
std::unique_ptr<Step> make_store_step(const graph::Graph& graph, const graph::Node& node) {
  return std::make_unique<StoreStep>(graph, node);
}
std::unique_ptr<Step> make_resample_step(const graph::Node& node) {
  return std::make_unique<ResampleStep>(node);
}

std::unique_ptr<Step> make_conversion(const Port& from, const Port& to) {
  return std::make_unique<ConversionStep>(from, to);
}

}  // namespace upres::session::cpu
