#include "kernels/conv/conv_kernel.h"

#include <array>

#include "base/half.h"
#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array kPushFields = {
    UPRES_PUSH_FIELD(ConvPush, row_begin),    UPRES_PUSH_FIELD(ConvPush, row_end),
    UPRES_PUSH_FIELD(ConvPush, in_width),     UPRES_PUSH_FIELD(ConvPush, in_height),
    UPRES_PUSH_FIELD(ConvPush, out_width),    UPRES_PUSH_FIELD(ConvPush, out_height),
    UPRES_PUSH_FIELD(ConvPush, padding_left), UPRES_PUSH_FIELD(ConvPush, padding_top)};

}  // namespace

Launch conv_launch(const LaunchContext& context, const Grid& grid) {
  const auto& conv = std::get<graph::Conv>(context.node.op);
  const Extent& in = input_extent(context);
  const Extent out = convolved_extent(context);
  const ConvPush push = {.row_begin = 0,
                         .row_end = grid.rows,
                         .in_width = u32(in.width_px),
                         .in_height = u32(in.height_px),
                         .out_width = u32(out.width_px),
                         .out_height = u32(out.height_px),
                         .padding_left = conv.padding.left,
                         .padding_top = conv.padding.top};
  return {.grid = grid, .push = push_bytes(push)};
}

Extent convolved_extent(const LaunchContext& context) {
  const int block = std::get<graph::Conv>(context.node.op).shuffle.block;
  const Extent& out = output_extent(context);
  return {out.width_px / block, out.height_px / block};
}

std::vector<Constant> shuffle_constants(const graph::Conv& conv) {
  return {{"shuffle_block", u32(conv.shuffle.block)},
          {"shuffle_crd", conv.shuffle.mode == graph::ShuffleMode::crd}};
}

std::vector<Constant> conv_constants(const graph::Conv& conv) {
  return {{"kernel_size_x", u32(conv.kernel_width)},
          {"kernel_size_y", u32(conv.kernel_height)},
          {"in_channels", u32(conv.in_channels)},
          {"out_channels", u32(conv.out_channels)},
          {"apply_relu", conv.apply_relu}};
}

float weight_at(const graph::Conv& conv, const WeightPlace& place) {
  if (place.out_channel >= conv.out_channels || place.in_channel >= conv.in_channels) return 0;
  const auto at = [](size_t before, int size, int index) {
    return before * static_cast<size_t>(size) + static_cast<size_t>(index);
  };
  const size_t in = at(static_cast<size_t>(place.out_channel), conv.in_channels, place.in_channel);
  return (*conv.weights)[at(at(in, conv.kernel_height, place.kernel_y), conv.kernel_width, place.kernel_x)];
}

void append_number(std::vector<std::byte>& bytes, DType dtype, float value) {
  const auto append = [&](const auto& number) {
    const auto raw = std::as_bytes(std::span(&number, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  if (dtype == DType::f16) {
    append(float_to_half(value));
  } else {
    append(value);
  }
}

std::vector<std::byte> pack_biases(const graph::Conv& conv, uint32_t multiple) {
  std::vector<std::byte> bytes;
  for (const float bias : *conv.biases) append_number(bytes, DType::f32, bias);
  bytes.resize(size_t{divide_up(u32(conv.out_channels), multiple)} * multiple * sizeof(float));
  return bytes;
}

bool ConvKernel::computes(const graph::Graph&, const graph::Node& node) const {
  const auto* conv = std::get_if<graph::Conv>(&node.op);
  return conv != nullptr && conv->shuffle.block == 1;
}

BindingNames ConvKernel::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"}, .outputs = {"output"}, .constant_data = {"weights", "biases"}};
}

std::span<const PushField> ConvKernel::push_fields() const { return kPushFields; }

}  // namespace upres::kernels
