#include "kernels/pixels/depth_to_space.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// shaders/pixels/depth_to_space.slang, Push.
struct DepthToSpacePush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t in_width = 0;
  uint32_t in_height = 0;
  uint32_t out_channels = 0;
};

constexpr std::array kPushFields = {
    UPRES_PUSH_FIELD(DepthToSpacePush, row_begin), UPRES_PUSH_FIELD(DepthToSpacePush, row_end),
    UPRES_PUSH_FIELD(DepthToSpacePush, in_width), UPRES_PUSH_FIELD(DepthToSpacePush, in_height),
    UPRES_PUSH_FIELD(DepthToSpacePush, out_channels)};

constexpr std::array<uint32_t, 3> kGroupSizesX = {32, 64, 128};
constexpr std::array<uint32_t, 3> kGroupSizesY = {4, 2, 1};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

}  // namespace

std::string_view DepthToSpace::summary() const { return "pixel shuffle, DCR or CRD"; }

std::span<const Tunable> DepthToSpace::tunables() const { return kTunables; }

bool DepthToSpace::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::DepthToSpace>(node.op);
}

Status DepthToSpace::legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                           const Selection& selection) const {
  return check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(DepthToSpacePush),
                             u32(output_type(graph, node).channels), device);
}

KernelChoice DepthToSpace::choose(const graph::Graph&, const graph::Node& node,
                                  const Selection& selection) const {
  const auto& shuffle = std::get<graph::DepthToSpace>(node.op);
  return {.kernel = id(),
          .variant = {},
          .constants = {{"block", u32(shuffle.block)}, {"crd", shuffle.mode == graph::ShuffleMode::crd}},
          .group_size = tuned_group_size(*this, selection.tuning)};
}

BindingNames DepthToSpace::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"}, .outputs = {"output"}, .constant_data = {}};
}

std::vector<std::vector<std::byte>> DepthToSpace::pack_constant_data(const graph::Graph&, const graph::Node&,
                                                                     const KernelChoice&) const {
  return {};
}

std::span<const PushField> DepthToSpace::push_fields() const { return kPushFields; }

Launch DepthToSpace::launch(const LaunchContext& context) const {
  const Extent& in = input_extent(context);
  const uint32_t channels = u32(output_type(context.graph, context.node).channels);
  const DepthToSpacePush push = {.row_begin = 0,
                                 .row_end = u32(in.height_px),
                                 .in_width = u32(in.width_px),
                                 .in_height = u32(in.height_px),
                                 .out_channels = channels};
  return {.grid = {u32(output_extent(context).width_px), u32(in.height_px), channels},
          .push = push_bytes(push)};
}

}  // namespace upres::kernels
