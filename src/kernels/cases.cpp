#include "kernels/cases.h"

#include <array>
#include <cmath>
#include <limits>

#include "base/hash.h"
#include "graph/extents.h"
#include "kernels/resize/lanczos.h"

namespace upres::kernels {

namespace {

using graph::ValueId;

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere, which <random>'s distributions do not
// promise.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  float uniform(float low, float high) {
    return low + (high - low) * (static_cast<float>(bits() >> 40U) / static_cast<float>(1U << 24U));
  }

 private:
  uint64_t state_;
};

constexpr std::string_view kExactReason = "moves or selects samples, so every bit is the reference's";
constexpr std::string_view kConvReason =
    "a device without fused multiply-add rounds twice for each term: one part in 2^23 of a partial sum "
    "(about 1) each";
constexpr std::string_view kPixelReason =
    "multiply and add may round apart, which moves a value over the edge of a level";
constexpr std::string_view kPlaneReason =
    "a few roundings of numbers about 1 where multiply and add round apart";
constexpr std::string_view kDivisionReason =
    "division may be 2.5 ulp off (Vulkan, precision of OpFDiv), multiply and add may round apart";

constexpr std::string_view kRoundingReason = "inputs, weights and outputs are rounded to fewer bits";

constexpr double kUlp = 1.0 / (1 << 23);
constexpr float kLargestInput = 1.25F;

Tolerance exact() { return {.reason = kExactReason}; }
Tolerance planes_tolerance() {
  return {.absolute = 8 * kUlp, .relative = 4 * kUlp, .levels = 1, .reason = kPlaneReason};
}

std::string size_text(const Extent& extent) {
  return std::to_string(extent.width_px) + "x" + std::to_string(extent.height_px);
}

// Collects cases; the random data of each follows from its line.
class Cases {
 public:
  explicit Cases(uint64_t seed) : seed_(seed) {}

  // Begins a case; what follows fills it in.
  KernelCase& begin(const std::string& line, const Tolerance& tolerance) {
    cases_.push_back({.line = line,
                      .seed = hash_text(line, seed_),
                      .graph = {},
                      .extents = {},
                      .window = {},
                      .tolerance = tolerance});
    return cases_.back();
  }
  std::vector<KernelCase> take() { return std::move(cases_); }

 private:
  uint64_t seed_;
  std::vector<KernelCase> cases_;
};

TensorType planar(int channels) { return {DType::f32, Layout::planar, channels}; }
TensorType pixel_type(DType dtype, int channels) { return {dtype, Layout::interleaved, channels}; }

ValueId add_input(KernelCase& test, const std::string& name, const TensorType& type, const Extent& extent) {
  const ValueId id = test.graph.add_value(name, type);
  test.graph.add_input(id);
  test.extents.push_back(extent);
  return id;
}
ValueId add_output(KernelCase& test, const std::string& name, const TensorType& type) {
  const ValueId id = test.graph.add_value(name, type);
  test.graph.add_output(id);
  return id;
}
void add_node(KernelCase& test, const graph::Operator& op, std::vector<ValueId> inputs,
              std::vector<ValueId> outputs) {
  test.graph.add_node(
      {.name = "tested", .op = op, .inputs = std::move(inputs), .outputs = std::move(outputs), .origin = {}});
}

// Sizes at the edges of groups that compute `per_thread` samples a thread along x.
std::vector<Extent> awkward_sizes(const GroupSize& group, int per_thread) {
  const int x = static_cast<int>(group.x) * per_thread;
  const int y = static_cast<int>(group.y);
  std::vector<Extent> sizes = {{1, 1}, {1, 7}, {7, 1}, {13, 11}, {x, y}, {x + 1, y + 1}};
  if (x > 1 && y > 1) sizes.push_back({x - 1, y - 1});
  return sizes;
}

// --- conv

graph::Weights random_weights(uint64_t seed, size_t count, float scale) {
  Random random(seed);
  auto weights = std::make_shared<std::vector<float>>(count);
  for (float& weight : *weights) weight = random.uniform(-scale, scale);
  return weights;
}

std::string conv_line(const graph::Conv& conv, const Extent& extent, bool with_specials) {
  const graph::Padding& pads = conv.padding;
  return "conv " + std::to_string(conv.in_channels) + "->" + std::to_string(conv.out_channels) + " kernel " +
         std::to_string(conv.kernel_width) + "x" + std::to_string(conv.kernel_height) + " pads top " +
         std::to_string(pads.top) + " left " + std::to_string(pads.left) + " bottom " +
         std::to_string(pads.bottom) + " right " + std::to_string(pads.right) +
         (conv.apply_relu ? " relu" : "") + (with_specials ? " specials" : "") + " on " + size_text(extent);
}

Tolerance conv_tolerance(const graph::Conv& conv) {
  const int terms = conv.in_channels * conv.kernel_height * conv.kernel_width;
  return {.absolute = (terms + 1) * kUlp, .relative = 2 * kUlp, .reason = kConvReason};
}

void add_conv_node(KernelCase& test, const graph::Conv& conv, const Extent& extent) {
  const ValueId in = add_input(test, "in", planar(conv.in_channels), extent);
  add_node(test, conv, {in}, {add_output(test, "out", planar(conv.out_channels))});
}

void add_conv(Cases& cases, graph::Conv conv, const Extent& extent, bool with_specials = false) {
  KernelCase& test = cases.begin(conv_line(conv, extent, with_specials), conv_tolerance(conv));
  test.with_specials = with_specials;
  const auto terms = static_cast<size_t>(conv.in_channels * conv.kernel_height * conv.kernel_width);
  const float scale = 2.0F / std::sqrt(static_cast<float>(terms));
  conv.weights = random_weights(test.seed + 1, terms * static_cast<size_t>(conv.out_channels), scale);
  conv.biases = random_weights(test.seed + 2, static_cast<size_t>(conv.out_channels), 0.5F);
  add_conv_node(test, conv, extent);
}

graph::Padding same_padding(int kernel_width, int kernel_height) {
  return {.top = (kernel_height - 1) / 2,
          .left = (kernel_width - 1) / 2,
          .bottom = kernel_height / 2,
          .right = kernel_width / 2};
}

graph::Conv conv_of(int in_channels, int out_channels, int kernel_width, int kernel_height, bool relu) {
  return {.in_channels = in_channels,
          .out_channels = out_channels,
          .kernel_height = kernel_height,
          .kernel_width = kernel_width,
          .padding = same_padding(kernel_width, kernel_height),
          .apply_relu = relu,
          .weights = {},
          .biases = {}};
}

void add_convs(Cases& cases, const GroupSize& group) {
  const std::array<graph::Conv, 5> shapes = {conv_of(1, 9, 5, 5, true), conv_of(2, 3, 3, 3, false),
                                             conv_of(5, 2, 1, 1, true), conv_of(3, 5, 4, 2, false),
                                             conv_of(9, 1, 2, 4, true)};
  for (const graph::Conv& shape : shapes) {
    for (const Extent& size : awkward_sizes(group, 1)) add_conv(cases, shape, size);
  }
  // Channels that can be packed by fours and sixteens.
  for (const Extent& size : awkward_sizes(group, 1)) {
    add_conv(cases, conv_of(4, 8, 3, 3, true), size);
    add_conv(cases, conv_of(16, 16, 3, 3, true), size);
  }
  add_conv(cases, conv_of(8, 12, 5, 3, true), {13, 11});
  add_conv(cases, conv_of(32, 48, 1, 1, false), {13, 11});
  // Shapes that the matrix kernels have.
  for (const Extent& size : {Extent{1, 1}, Extent{31, 3}, Extent{33, 17}, Extent{65, 9}}) {
    add_conv(cases, conv_of(64, 64, 3, 3, true), size);
    add_conv(cases, conv_of(64, 32, 3, 3, false), size);
    add_conv(cases, conv_of(32, 9, 3, 3, true), size);
    add_conv(cases, conv_of(1, 64, 5, 5, true), size);
  }
  add_conv(cases, conv_of(3, 64, 3, 3, true), {129, 9});
  add_conv(cases, conv_of(32, 32, 3, 3, true), {129, 9});
  add_conv(cases, conv_of(64, 9, 3, 3, false), {17, 5});
  add_conv(cases, conv_of(1, 64, 5, 5, true), {5, 17});
  for (const graph::Padding& pads : {graph::Padding{0, 0, 0, 0}, graph::Padding{0, 2, 1, 0},
                                     graph::Padding{2, 0, 0, 1}, graph::Padding{4, 5, 6, 7}}) {
    graph::Conv conv = conv_of(3, 2, 3, 3, true);
    conv.padding = pads;
    add_conv(cases, conv, {13, 11});
    add_conv(cases, conv, {3, 3});
  }
  add_conv(cases, conv_of(2, 2, 3, 3, true), {13, 11}, true);
}

// --- elementwise and shuffles

void add_clip(Cases& cases, float min, float max, int channels, const Extent& extent, bool with_specials) {
  const std::string line = "clip " + std::to_string(min) + " .. " + std::to_string(max) +
                           (with_specials ? " specials" : "") + " on " + std::to_string(channels) +
                           " channels of " + size_text(extent);
  KernelCase& test = cases.begin(line, exact());
  test.with_specials = with_specials;
  const ValueId in = add_input(test, "in", planar(channels), extent);
  add_node(test, graph::Clip{min, max}, {in}, {add_output(test, "out", planar(channels))});
}

void add_clips(Cases& cases, const GroupSize& group) {
  for (const Extent& size : awkward_sizes(group, 1)) add_clip(cases, 0, 1, 3, size, false);
  for (const int channels : {1, 2, 5, 64}) add_clip(cases, -0.125F, 0.75F, channels, {7, 5}, false);
  add_clip(cases, 0, std::numeric_limits<float>::infinity(), 2, {13, 11}, true);
  add_clip(cases, -1, 1, 2, {13, 11}, true);
}

std::string_view mode_name(graph::ShuffleMode mode) {
  return mode == graph::ShuffleMode::crd ? "crd" : "dcr";
}

void add_depth_to_space(Cases& cases, int block, graph::ShuffleMode mode, int channels,
                        const Extent& extent) {
  const std::string line = "depth_to_space block " + std::to_string(block) + " " +
                           std::string(mode_name(mode)) + " to " + std::to_string(channels) +
                           " channels on " + size_text(extent);
  KernelCase& test = cases.begin(line, exact());
  const ValueId in = add_input(test, "in", planar(channels * block * block), extent);
  add_node(test, graph::DepthToSpace{block, mode}, {in}, {add_output(test, "out", planar(channels))});
}

void add_depths_to_space(Cases& cases, const GroupSize& group) {
  for (const Extent& size : awkward_sizes(group, 1)) {
    add_depth_to_space(cases, 1, graph::ShuffleMode::crd, 2, size);
    add_depth_to_space(cases, 3, graph::ShuffleMode::dcr, 1, size);
  }
  for (const auto mode : {graph::ShuffleMode::crd, graph::ShuffleMode::dcr}) {
    for (const int block : {2, 3, 4, 5}) add_depth_to_space(cases, block, mode, 3, {7, 5});
  }
}

// --- pixels in and out

std::string_view colors_name(graph::NetworkColors colors) {
  return colors == graph::NetworkColors::luma ? "luma" : "rgb";
}
int side_channels(graph::NetworkColors colors, int channels) {
  return (colors == graph::NetworkColors::luma && channels >= 3 ? 2 : 0) + (channels % 2 == 0 ? 1 : 0);
}

void add_encode(Cases& cases, graph::NetworkColors colors, DType dtype, int channels, const Extent& extent) {
  const std::string line = "encode " + std::to_string(channels) + " channels " + std::string(name(dtype)) +
                           " for " + std::string(colors_name(colors)) + " on " + size_text(extent);
  KernelCase& test = cases.begin(line, planes_tolerance());
  const ValueId in = add_input(test, "pixels", pixel_type(dtype, channels), extent);
  std::vector<ValueId> outputs = {
      add_output(test, "planes", planar(colors == graph::NetworkColors::luma ? 1 : 3))};
  const int side = side_channels(colors, channels);
  if (side > 0) outputs.push_back(add_output(test, "side", planar(side)));
  add_node(test, graph::Encode{colors}, {in}, outputs);
}

void add_encodes(Cases& cases, const GroupSize& group) {
  for (const Extent& size : awkward_sizes(group, 1))
    add_encode(cases, graph::NetworkColors::luma, DType::u8, 3, size);
  for (const auto colors : {graph::NetworkColors::luma, graph::NetworkColors::rgb}) {
    for (const DType dtype : {DType::u8, DType::u16}) {
      for (const int channels : {1, 2, 3, 4}) {
        for (const int width : {1, 2, 3, 4, 5}) add_encode(cases, colors, dtype, channels, {width, 3});
      }
    }
  }
}

struct DecodeCase {
  graph::Decode decode;
  TensorType picture;
  Extent features;
  bool with_specials = false;
};

void add_decode(Cases& cases, const DecodeCase& what) {
  const graph::Decode& decode = what.decode;
  const bool is_planar = what.picture.layout == Layout::planar;
  const std::string line =
      "decode " + std::string(colors_name(decode.colors)) + " block " + std::to_string(decode.block) + " " +
      std::string(mode_name(decode.mode)) + " factor " + std::to_string(decode.factor) +
      (decode.filter == graph::SideFilter::bilinear ? " bilinear" : " bicubic") + " to " +
      std::to_string(what.picture.channels) + " channels " + std::string(name(what.picture.dtype)) +
      (what.with_specials ? " specials" : "") + " on " + size_text(what.features);
  KernelCase& test = cases.begin(line, {.absolute = 32 * kUlp,
                                        .relative = 8 * kUlp,
                                        .levels = 1,
                                        .reason = is_planar ? kDivisionReason : kPixelReason});
  test.with_specials = what.with_specials;
  const int colors = decode.colors == graph::NetworkColors::luma ? 1 : 3;
  std::vector<ValueId> inputs = {
      add_input(test, "features", planar(decode.block * decode.block * colors), what.features)};
  if (const int side = side_channels(decode.colors, what.picture.channels); side > 0) {
    const Extent extent = {what.features.width_px * decode.block / decode.factor,
                           what.features.height_px * decode.block / decode.factor};
    inputs.push_back(add_input(test, "side", planar(side), extent));
  }
  const ValueId picture = add_output(test, "picture", what.picture);
  const ValueId statistics = add_output(test, "statistics", {DType::u32, Layout::flat, 4});
  add_node(test, decode, inputs, {picture, statistics});
}

void add_decodes_of_all_kinds(Cases& cases) {
  for (const auto colors : {graph::NetworkColors::luma, graph::NetworkColors::rgb}) {
    for (const int channels : {1, 2, 3, 4}) {
      for (const TensorType& type :
           {pixel_type(DType::u8, channels), pixel_type(DType::u16, channels), planar(channels)}) {
        const graph::Decode decode = {.colors = colors, .block = 3, .factor = 3};
        add_decode(cases, {decode, type, {5, 3}});
      }
    }
  }
}

void add_decodes_of_all_factors(Cases& cases) {
  const TensorType rgba = planar(4);
  for (const auto filter : {graph::SideFilter::bicubic, graph::SideFilter::bilinear}) {
    for (const auto mode : {graph::ShuffleMode::crd, graph::ShuffleMode::dcr}) {
      for (const int factor : {1, 2, 3, 4, 5, 8}) {
        const graph::Decode decode = {.colors = graph::NetworkColors::luma,
                                      .block = factor,
                                      .mode = mode,
                                      .factor = factor,
                                      .filter = filter};
        add_decode(cases, {decode, rgba, {3, 4}});
      }
    }
    // A network that enlarges by itself, wholly or in part.
    for (const int block : {1, 2, 4}) {
      const auto mode =
          filter == graph::SideFilter::bicubic ? graph::ShuffleMode::dcr : graph::ShuffleMode::crd;
      const graph::Decode decode = {
          .colors = graph::NetworkColors::rgb, .block = block, .mode = mode, .factor = 4, .filter = filter};
      add_decode(cases, {decode, rgba, {12 / block, 8 / block}});
    }
  }
}

void add_decodes(Cases& cases, const GroupSize& group) {
  const graph::Decode plain = {.colors = graph::NetworkColors::luma, .block = 1, .factor = 1};
  for (const Extent& size : awkward_sizes(group, 4)) {
    add_decode(cases, {plain, pixel_type(DType::u8, 3), size});
    add_decode(cases, {plain, planar(1), size});
  }
  for (const Extent& size : {Extent{1, 1}, Extent{1, 7}, Extent{7, 1}, Extent{13, 11}}) {
    const graph::Decode tripled = {.colors = graph::NetworkColors::luma, .block = 3, .factor = 3};
    add_decode(cases, {tripled, pixel_type(DType::u8, 3), size});
    add_decode(cases, {tripled, pixel_type(DType::u16, 4), size});
  }
  add_decodes_of_all_kinds(cases);
  add_decodes_of_all_factors(cases);
  const graph::Decode doubled = {.colors = graph::NetworkColors::luma, .block = 2, .factor = 2};
  for (const TensorType& type : {pixel_type(DType::u8, 3), pixel_type(DType::u16, 1), planar(3)}) {
    add_decode(cases, {doubled, type, {13, 11}, true});
  }
}

void add_store(Cases& cases, DType dtype, int channels, const Extent& extent, bool with_specials) {
  const std::string line = "store " + std::to_string(channels) + " channels " + std::string(name(dtype)) +
                           (with_specials ? " specials" : "") + " on " + size_text(extent);
  KernelCase& test = cases.begin(line, {.levels = 1, .reason = kPixelReason});
  test.with_specials = with_specials;
  const ValueId in = add_input(test, "planes", planar(channels), extent);
  add_node(test, graph::Store{}, {in}, {add_output(test, "picture", pixel_type(dtype, channels))});
}

void add_stores(Cases& cases, const GroupSize& group) {
  for (const Extent& size : awkward_sizes(group, 4)) add_store(cases, DType::u8, 3, size, false);
  for (const DType dtype : {DType::u8, DType::u16}) {
    for (const int channels : {1, 2, 3, 4}) {
      for (const int width : {1, 2, 3, 4, 5}) add_store(cases, dtype, channels, {width, 3}, false);
      add_store(cases, dtype, channels, {13, 11}, true);
    }
  }
}

// --- resample

// Output samples [out_begin, out_begin + out_count) of a picture whose other axis has `across` samples, from
// the input samples [in_begin, in_begin + in_count).
struct ResampleCase {
  graph::Resample op;
  int in_begin = 0;
  int in_count = 0;
  int out_begin = 0;
  int out_count = 0;
  int across = 1;
  int channels = 1;
};

void add_resample(Cases& cases, const ResampleCase& what) {
  const bool along_x = what.op.axis == graph::Axis::x;
  const std::string line = std::string("resample ") + (along_x ? "x " : "y ") +
                           std::to_string(what.op.in_total_px) + "->" + std::to_string(what.op.out_total_px) +
                           " window " + std::to_string(what.in_begin) + "+" + std::to_string(what.in_count) +
                           "->" + std::to_string(what.out_begin) + "+" + std::to_string(what.out_count) +
                           " across " + std::to_string(what.across) + " on " + std::to_string(what.channels) +
                           " channels";
  const double terms = static_cast<double>(resample_taps(what.op));
  KernelCase& test =
      cases.begin(line, {.absolute = (terms + 1) * kUlp, .relative = 2 * kUlp, .reason = kConvReason});
  const Extent in = along_x ? Extent{what.in_count, what.across} : Extent{what.across, what.in_count};
  const ValueId input = add_input(test, "in", planar(what.channels), in);
  add_node(test, what.op, {input}, {add_output(test, "out", planar(what.channels))});
  test.window.input = along_x ? Origin{what.in_begin, 0} : Origin{0, what.in_begin};
  test.window.resampled = along_x ? Origin{what.out_begin, 0} : Origin{0, what.out_begin};
  test.window.resampled_extent =
      along_x ? Extent{what.out_count, what.across} : Extent{what.across, what.out_count};
}

void add_whole_resample(Cases& cases, graph::Axis axis, int in_total, int out_total, int across,
                        int channels) {
  add_resample(cases, {{axis, in_total, out_total}, 0, in_total, 0, out_total, across, channels});
}

void add_resamples(Cases& cases, const GroupSize& group) {
  for (const Extent& size : awkward_sizes(group, 1)) {
    add_whole_resample(cases, graph::Axis::x, 9, size.width_px, size.height_px, 2);
    add_whole_resample(cases, graph::Axis::y, 9, size.height_px, size.width_px, 2);
  }
  for (const auto axis : {graph::Axis::x, graph::Axis::y}) {
    for (const int in_total : {1, 2, 5, 6, 31, 97}) {
      for (const int out_total : {1, 3, 31, 64}) add_whole_resample(cases, axis, in_total, out_total, 3, 1);
    }
    add_whole_resample(cases, axis, 13, 29, 5, 5);
    add_resample(cases, {{axis, 300, 210}, 100, 60, 80, 23, 4, 3});   // a window from the middle
    add_resample(cases, {{axis, 300, 210}, 0, 40, 0, 17, 4, 1});      // first
    add_resample(cases, {{axis, 300, 210}, 270, 30, 200, 10, 4, 1});  // last
    add_resample(cases, {{axis, 300, 210}, 0, 4, 0, 3, 4, 1});        // shorter than the taps
  }
}

// --- inputs and outputs

float special_sample(Random& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array<float, 6> kSpecials = {
      std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, 0.0F, -0.0F, 1.0F};
  return kSpecials[random.bits() % kSpecials.size()];
}

Tensor random_tensor(const TensorType& type, const Extent& extent, Random& random, bool with_specials) {
  Tensor tensor(type, extent);
  if (type.dtype == DType::f32) {
    for (float& sample : tensor.as<float>()) {
      const bool special = with_specials && random.bits() % 8 == 0;
      sample = special ? special_sample(random) : random.uniform(-0.25F, kLargestInput);
    }
    // What a kernel may read in the place of samples that do not exist.
    if (with_specials) tensor.as<float>().front() = std::numeric_limits<float>::quiet_NaN();
  } else {
    for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(random.bits() >> 56U);
  }
  return tensor;
}

}  // namespace

std::vector<KernelCase> kernel_cases(const GroupSize& group, uint64_t seed) {
  Cases cases(seed);
  add_encodes(cases, group);
  add_convs(cases, group);
  add_clips(cases, group);
  add_depths_to_space(cases, group);
  add_decodes(cases, group);
  add_resamples(cases, group);
  add_stores(cases, group);
  return cases.take();
}

std::vector<Tensor> case_inputs(const KernelCase& test) {
  Random random(test.seed);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < test.extents.size(); ++i) {
    const TensorType& type = test.graph.value(test.graph.inputs()[i]).type;
    inputs.push_back(random_tensor(type, test.extents[i], random, test.with_specials));
  }
  return inputs;
}

KernelCase conv_case(const graph::Conv& conv, const Extent& extent) {
  Cases cases(0);
  add_conv_node(cases.begin(conv_line(conv, extent, false), conv_tolerance(conv)), conv, extent);
  return std::move(cases.take().front());
}

void allow_rounding(KernelCase& test, int significand_bits) {
  const auto* conv = std::get_if<graph::Conv>(&test.node().op);
  if (conv == nullptr) return;
  const std::span<const float> weights = *conv->weights;
  const size_t terms = weights.size() / static_cast<size_t>(conv->out_channels);
  double largest_sum = 0;
  for (size_t first = 0; first < weights.size(); first += terms) {
    double sum = 0;
    for (const float weight : weights.subspan(first, terms)) sum += std::abs(double{weight});
    largest_sum = std::max(largest_sum, sum);
  }
  const double step = std::ldexp(1.0, -significand_bits);
  test.tolerance.absolute += step * kLargestInput * largest_sum;
  test.tolerance.relative += step;
  test.tolerance.reason = kRoundingReason;
}

Result<std::vector<Extent>> case_extents(const KernelCase& test) {
  return graph::infer_extents(test.graph, test.extents, test.window.resampled_extent);
}

Result<std::vector<Tensor>> case_expected(const KernelCase& test, std::span<const Tensor> inputs) {
  return run_reference(test.graph, inputs, test.window);
}

}  // namespace upres::kernels
