#include "kernels/elementwise/clip.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// shaders/elementwise/clip.slang, Push.
struct ClipPush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t channels = 0;
  float min = 0;
  float max = 0;
};

constexpr std::array kPushFields = {
    UPRES_PUSH_FIELD(ClipPush, row_begin), UPRES_PUSH_FIELD(ClipPush, row_end),
    UPRES_PUSH_FIELD(ClipPush, width),     UPRES_PUSH_FIELD(ClipPush, height),
    UPRES_PUSH_FIELD(ClipPush, channels),  UPRES_PUSH_FIELD(ClipPush, min),
    UPRES_PUSH_FIELD(ClipPush, max)};

constexpr std::array<uint32_t, 3> kGroupSizesX = {32, 64, 128};
constexpr std::array<uint32_t, 3> kGroupSizesY = {4, 2, 1};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

}  // namespace

std::string_view Clip::summary() const { return "limits samples to a range, NaN stays NaN"; }

std::span<const Tunable> Clip::tunables() const { return kTunables; }

bool Clip::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Clip>(node.op);
}

Status Clip::legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                   const Selection& selection) const {
  return check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(ClipPush),
                             u32(input_type(graph, node).channels), device);
}

KernelChoice Clip::choose(const graph::Graph&, const graph::Node&, const Selection& selection) const {
  return {.kernel = id(),
          .variant = {},
          .constants = {},
          .group_size = tuned_group_size(*this, selection.tuning)};
}

BindingNames Clip::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"}, .outputs = {"output"}, .constant_data = {}};
}

std::vector<std::vector<std::byte>> Clip::pack_constant_data(const graph::Graph&, const graph::Node&,
                                                             const KernelChoice&) const {
  return {};
}

std::span<const PushField> Clip::push_fields() const { return kPushFields; }

Launch Clip::launch(const LaunchContext& context) const {
  const auto& clip = std::get<graph::Clip>(context.node.op);
  const Extent& out = output_extent(context);
  const uint32_t channels = u32(output_type(context.graph, context.node).channels);
  const ClipPush push = {.row_begin = 0,
                         .row_end = u32(out.height_px),
                         .width = u32(out.width_px),
                         .height = u32(out.height_px),
                         .channels = channels,
                         .min = clip.min,
                         .max = clip.max};
  return {.grid = {u32(out.width_px), u32(out.height_px), channels}, .push = push_bytes(push)};
}

}  // namespace upres::kernels
