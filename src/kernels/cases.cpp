#include "kernels/cases.h"

#include <array>
#include <cmath>
#include <limits>

#include "graph/extents.h"
#include "kernels/case_builder.h"
#include "kernels/resize/lanczos.h"

namespace upres::kernels {

namespace {

using graph::ValueId;

constexpr std::string_view kExactReason = "moves or selects samples, so every bit is the reference's";
constexpr std::string_view kPixelReason =
    "multiply and add may round apart, which moves a value over the edge of a level";
constexpr std::string_view kPlaneReason =
    "a few roundings of numbers about 1 where multiply and add round apart";
constexpr std::string_view kDivisionReason =
    "division may be 2.5 ulp off (Vulkan, precision of OpFDiv), multiply and add may round apart";

Tolerance exact() { return {.reason = kExactReason}; }
Tolerance planes_tolerance() {
  return {.absolute = 8 * kUlp, .relative = 4 * kUlp, .levels = 1, .reason = kPlaneReason};
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

Result<std::vector<Extent>> case_extents(const KernelCase& test) {
  return graph::infer_extents(test.graph, test.extents, test.window.resampled_extent);
}

Result<std::vector<Tensor>> case_expected(const KernelCase& test, std::span<const Tensor> inputs) {
  return run_reference(test.graph, inputs, test.window);
}

}  // namespace upres::kernels
