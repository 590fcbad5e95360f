#include "kernels/conv/conv_naive.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// shaders/conv/conv_naive.slang, Push.
struct ConvNaivePush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t in_width = 0;
  uint32_t in_height = 0;
  uint32_t out_width = 0;
  uint32_t out_height = 0;
  int32_t padding_left = 0;
  int32_t padding_top = 0;
};

constexpr std::array kPushFields = {
    UPRES_PUSH_FIELD(ConvNaivePush, row_begin),    UPRES_PUSH_FIELD(ConvNaivePush, row_end),
    UPRES_PUSH_FIELD(ConvNaivePush, in_width),     UPRES_PUSH_FIELD(ConvNaivePush, in_height),
    UPRES_PUSH_FIELD(ConvNaivePush, out_width),    UPRES_PUSH_FIELD(ConvNaivePush, out_height),
    UPRES_PUSH_FIELD(ConvNaivePush, padding_left), UPRES_PUSH_FIELD(ConvNaivePush, padding_top)};

constexpr std::array<uint32_t, 5> kGroupSizesX = {16, 8, 32, 64, 128};
constexpr std::array<uint32_t, 5> kGroupSizesY = {8, 4, 2, 1, 16};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string_view ConvNaive::summary() const {
  return "convolution, one thread a pixel, planar fp32 in storage buffers, no shared memory";
}

std::span<const Tunable> ConvNaive::tunables() const { return kTunables; }

bool ConvNaive::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Conv>(node.op);
}

Status ConvNaive::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                        const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  const auto fits =
      check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(ConvNaivePush), 1, device);
  if (!fits) return fits;
  return check_binding_range(id(), "weights", conv.weights->size() * sizeof(float), device);
}

KernelChoice ConvNaive::choose(const graph::Graph&, const graph::Node& node,
                               const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {.kernel = id(),
          .variant = {},
          .constants = {{"kernel_size_x", u32(conv.kernel_width)},
                        {"kernel_size_y", u32(conv.kernel_height)},
                        {"in_channels", u32(conv.in_channels)},
                        {"out_channels", u32(conv.out_channels)},
                        {"apply_relu", conv.apply_relu}},
          .group_size = tuned_group_size(*this, selection.tuning)};
}

BindingNames ConvNaive::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"}, .outputs = {"output"}, .constant_data = {"weights", "biases"}};
}

std::vector<std::vector<std::byte>> ConvNaive::pack_constant_data(const graph::Graph&,
                                                                  const graph::Node& node,
                                                                  const KernelChoice&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {bytes_of(*conv.weights), bytes_of(*conv.biases)};
}

std::span<const PushField> ConvNaive::push_fields() const { return kPushFields; }

Launch ConvNaive::launch(const LaunchContext& context) const {
  const auto& conv = std::get<graph::Conv>(context.node.op);
  const Extent& in = input_extent(context);
  const Extent& out = output_extent(context);
  const ConvNaivePush push = {.row_begin = 0,
                              .row_end = u32(out.height_px),
                              .in_width = u32(in.width_px),
                              .in_height = u32(in.height_px),
                              .out_width = u32(out.width_px),
                              .out_height = u32(out.height_px),
                              .padding_left = conv.padding.left,
                              .padding_top = conv.padding.top};
  return {.grid = {u32(out.width_px), u32(out.height_px), 1}, .push = push_bytes(push)};
}

}  // namespace upres::kernels
