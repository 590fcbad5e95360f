#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "kernels/case_builder.h"

namespace upres::kernels {

namespace {

using graph::ValueId;

constexpr std::string_view kHalfSumsReason = "inputs, weights, outputs and every sum are rounded to half";
constexpr std::string_view kRoundingReason = "inputs, weights and outputs are rounded to fewer bits";

graph::Weights random_weights(uint64_t seed, size_t count, float scale) {
  Random random(seed);
  auto weights = std::make_shared<std::vector<float>>(count);
  for (float& weight : *weights) weight = random.uniform(-scale, scale);
  return weights;
}

std::string conv_text(const graph::Conv& conv) {
  const graph::Padding& pads = conv.padding;
  const std::string shuffle = conv.shuffle.block == 1
                                  ? ""
                                  : " shuffled by " + std::to_string(conv.shuffle.block) +
                                        (conv.shuffle.mode == graph::ShuffleMode::crd ? " crd" : " dcr");
  return std::to_string(conv.in_channels) + "->" + std::to_string(conv.out_channels) + " kernel " +
         std::to_string(conv.kernel_width) + "x" + std::to_string(conv.kernel_height) + " pads top " +
         std::to_string(pads.top) + " left " + std::to_string(pads.left) + " bottom " +
         std::to_string(pads.bottom) + " right " + std::to_string(pads.right) +
         (conv.apply_relu ? " relu" : "") + shuffle;
}

std::string conv_line(const graph::Operator& op, const Extent& extent, bool with_specials) {
  std::string text;
  for (const graph::Conv* conv : graph::convolutions(op))
    text += (text.empty() ? "" : ", then ") + conv_text(*conv);
  return std::string(graph::operator_name(op)) + " " + text + (with_specials ? " specials" : "") + " on " +
         size_text(extent);
}

size_t term_count(const graph::Conv& conv) {
  return static_cast<size_t>(conv.in_channels * conv.kernel_height * conv.kernel_width);
}

// Terms of a pair are about 1, too, after the first as after the second.
Tolerance conv_tolerance(const graph::Operator& op) {
  double terms = 0;
  for (const graph::Conv* conv : graph::convolutions(op)) terms += static_cast<double>(term_count(*conv)) + 1;
  return {.absolute = terms * kUlp, .relative = 2 * kUlp, .reason = kConvReason};
}

void add_conv_node(KernelCase& test, const graph::Operator& op, const Extent& extent) {
  const auto convs = graph::convolutions(op);
  const graph::Conv& last = *convs.back();
  const int planes = last.out_channels / (last.shuffle.block * last.shuffle.block);
  const ValueId in = add_input(test, "in", planar(convs.front()->in_channels), extent);
  add_node(test, op, {in}, {add_output(test, "out", planar(planes))});
}

graph::Conv with_weights(graph::Conv conv, uint64_t seed) {
  const float scale = 2.0F / std::sqrt(static_cast<float>(term_count(conv)));
  conv.weights = random_weights(seed + 1, term_count(conv) * static_cast<size_t>(conv.out_channels), scale);
  conv.biases = random_weights(seed + 2, static_cast<size_t>(conv.out_channels), 0.5F);
  return conv;
}

void add_conv(Cases& cases, const graph::Conv& conv, const Extent& extent, bool with_specials = false) {
  KernelCase& test = cases.begin(conv_line(conv, extent, with_specials), conv_tolerance(conv));
  test.with_specials = with_specials;
  add_conv_node(test, with_weights(conv, test.seed), extent);
}

void add_pair(Cases& cases, const graph::ConvPair& pair, const Extent& extent) {
  KernelCase& test = cases.begin(conv_line(pair, extent, false), conv_tolerance(pair));
  add_conv_node(
      test, graph::ConvPair{with_weights(pair.first, test.seed), with_weights(pair.second, test.seed + 2)},
      extent);
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

graph::Conv shuffled(graph::Conv conv, int block, graph::ShuffleMode mode) {
  conv.shuffle = {block, mode};
  return conv;
}

void add_shuffled(Cases& cases, const GroupSize& group) {
  using graph::ShuffleMode;
  for (const Extent& size : awkward_sizes(group, 1))
    add_conv(cases, shuffled(conv_of(4, 9, 3, 3, true), 3, ShuffleMode::crd), size);
  add_conv(cases, shuffled(conv_of(3, 12, 3, 3, false), 2, ShuffleMode::dcr), {13, 11});
  add_conv(cases, shuffled(conv_of(3, 12, 3, 3, false), 2, ShuffleMode::crd), {13, 11});
  for (const Extent& size : {Extent{1, 1}, Extent{33, 17}, Extent{65, 9}}) {
    add_conv(cases, shuffled(conv_of(32, 9, 3, 3, false), 3, ShuffleMode::crd), size);
    add_conv(cases, shuffled(conv_of(64, 12, 3, 3, true), 2, ShuffleMode::dcr), size);
  }
}

// Channels of whole and of partly used matrices, kernels and shuffles that only the matrix kernel for any
// shape computes.
void add_matrix_shapes(Cases& cases) {
  using graph::ShuffleMode;
  for (const Extent& size : {Extent{1, 1}, Extent{33, 9}}) {
    add_conv(cases, conv_of(48, 48, 3, 3, true), size);
    add_conv(cases, conv_of(16, 32, 5, 5, false), size);
    add_conv(cases, shuffled(conv_of(32, 36, 3, 3, false), 3, ShuffleMode::crd), size);
  }
  add_conv(cases, conv_of(64, 48, 1, 1, true), {31, 18});
  add_conv(cases, conv_of(16, 80, 2, 7, false), {17, 5});
  add_conv(cases, conv_of(18, 32, 3, 3, true), {35, 7});
  add_conv(cases, shuffled(conv_of(16, 12, 3, 3, true), 2, ShuffleMode::dcr), {35, 17});
  add_conv(cases, shuffled(conv_of(16, 144, 3, 3, false), 2, ShuffleMode::crd), {9, 3});
  graph::Conv shifted = conv_of(32, 16, 3, 3, false);
  for (const graph::Padding& pads : {graph::Padding{0, 2, 3, 1}, graph::Padding{4, 0, 0, 5}}) {
    shifted.padding = pads;
    add_conv(cases, shifted, {34, 9});
  }
}

// Shapes that the matrix kernels have.
void add_pairs(Cases& cases) {
  using graph::ShuffleMode;
  const graph::Conv middle = conv_of(64, 64, 3, 3, true);
  const graph::Conv last = shuffled(conv_of(32, 9, 3, 3, false), 3, ShuffleMode::crd);
  for (const Extent& size : {Extent{1, 1}, Extent{31, 3}, Extent{30, 9}, Extent{33, 17}, Extent{67, 29}}) {
    add_pair(cases, {conv_of(1, 64, 5, 5, true), middle}, size);
    add_pair(cases, {conv_of(64, 32, 3, 3, true), last}, size);
  }
  add_pair(cases, {conv_of(1, 64, 3, 3, false), conv_of(64, 64, 3, 3, false)}, {33, 17});
  add_pair(cases, {conv_of(3, 64, 3, 3, true), middle}, {33, 17});
  add_pair(cases, {conv_of(32, 32, 3, 3, false), conv_of(32, 16, 3, 3, true)}, {61, 19});
  add_pair(cases, {conv_of(64, 32, 3, 3, false), shuffled(conv_of(32, 12, 3, 3, true), 2, ShuffleMode::dcr)},
           {95, 5});
  graph::ConvPair shifted = {conv_of(64, 32, 3, 3, true), conv_of(32, 4, 3, 3, false)};
  shifted.first.padding = {0, 2, 3, 1};
  shifted.second.padding = {2, 0, 0, 3};
  add_pair(cases, shifted, {35, 11});
  shifted.first = conv_of(1, 64, 5, 5, true);
  shifted.second = middle;
  shifted.first.padding = {4, 0, 1, 3};
  shifted.second.padding = {0, 2, 2, 0};
  add_pair(cases, shifted, {35, 11});
}

}  // namespace

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
  add_shuffled(cases, group);
  add_matrix_shapes(cases);
  add_pairs(cases);
}

bool only_plans_make(const graph::Operator& op) {
  const auto convs = graph::convolutions(op);
  return convs.size() > 1 ||
         std::ranges::any_of(convs, [](const graph::Conv* conv) { return conv->shuffle.block != 1; });
}

KernelCase conv_case(const graph::Operator& op, const Extent& extent) {
  Cases cases(0);
  add_conv_node(cases.begin(conv_line(op, extent, false), conv_tolerance(op)), op, extent);
  return std::move(cases.take().front());
}

namespace {

struct Magnitude {
  double value = 0;  // the largest that a sample can have
  double error = 0;  // of it
};

// What rounding everything by `step` costs at most, as far as it is a part of the samples' magnitudes.
Magnitude rounded(const graph::Conv& conv, const Magnitude& in, double step) {
  Magnitude out;
  const size_t terms = term_count(conv);
  for (size_t channel = 0; channel < conv.biases->size(); ++channel) {
    double sum = 0;
    for (const float weight : std::span(*conv.weights).subspan(channel * terms, terms))
      sum += std::abs(double{weight});
    out.value = std::max(out.value, sum * in.value + std::abs(double{(*conv.biases)[channel]}));
    out.error = std::max(out.error, sum * (in.value * step + in.error));
  }
  return out;
}

}  // namespace

void allow_rounding(KernelCase& test, int significand_bits) {
  const auto convs = graph::convolutions(test.node().op);
  if (convs.empty()) return;
  const double step = std::ldexp(1.0, -significand_bits);
  Magnitude magnitude{kLargestInput, 0};
  for (const graph::Conv* conv : convs) magnitude = rounded(*conv, magnitude, step);
  test.tolerance.absolute += magnitude.error;
  test.tolerance.relative += step;
  test.tolerance.reason = kRoundingReason;
}

void allow_half_sums(KernelCase& test) {
  const auto* conv = std::get_if<graph::Conv>(&test.node().op);
  if (conv == nullptr) return;
  constexpr double kDeviations = 4;
  const size_t terms = term_count(*conv);
  double longest = 0;
  for (size_t channel = 0; channel < conv->biases->size(); ++channel) {
    double squares = double{(*conv->biases)[channel]} * (*conv->biases)[channel];
    for (const float weight : std::span(*conv->weights).subspan(channel * terms, terms))
      squares += double{weight} * weight;
    longest = std::max(longest, std::sqrt(squares));
  }
  const double walk = std::sqrt(static_cast<double>(terms)) * std::ldexp(1.0, -kHalfBits);
  test.tolerance.absolute += kDeviations * walk * longest * kLargestInput;
  test.tolerance.reason = kHalfSumsReason;
}

}  // namespace upres::kernels
