#include "kernels/resize/resample.h"

#include <array>

#include "kernels/launch.h"
#include "kernels/resize/lanczos.h"

namespace upres::kernels {

namespace {

// shaders/resize/resample.slang, Push.
struct ResamplePush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t in_width = 0;
  uint32_t in_height = 0;
  uint32_t out_width = 0;
  uint32_t out_height = 0;
  uint32_t channels = 0;
  uint32_t taps = 0;
};

constexpr std::array kPushFields = {
    UPRES_PUSH_FIELD(ResamplePush, row_begin), UPRES_PUSH_FIELD(ResamplePush, row_end),
    UPRES_PUSH_FIELD(ResamplePush, in_width),  UPRES_PUSH_FIELD(ResamplePush, in_height),
    UPRES_PUSH_FIELD(ResamplePush, out_width), UPRES_PUSH_FIELD(ResamplePush, out_height),
    UPRES_PUSH_FIELD(ResamplePush, channels),  UPRES_PUSH_FIELD(ResamplePush, taps)};

constexpr std::array<uint32_t, 4> kGroupSizesX = {32, 16, 64, 128};
constexpr std::array<uint32_t, 4> kGroupSizesY = {4, 8, 2, 1};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

}  // namespace

std::string_view Resample::summary() const { return "one axis resampled with tables of taps (Lanczos)"; }

std::span<const Tunable> Resample::tunables() const { return kTunables; }

bool Resample::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Resample>(node.op);
}

Status Resample::legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                       const Selection& selection) const {
  return check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(ResamplePush),
                             u32(output_type(graph, node).channels), device);
}

KernelChoice Resample::choose(const graph::Graph&, const graph::Node& node,
                              const Selection& selection) const {
  const auto& resample = std::get<graph::Resample>(node.op);
  return {.kernel = id(),
          .variant = {},
          .constants = {{"along_y", resample.axis == graph::Axis::y}},
          .group_size = tuned_group_size(*this, selection.tuning)};
}

BindingNames Resample::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"},
          .outputs = {"output"},
          .constant_data = {},
          .tables = {"first_samples", "weights"}};
}

std::vector<std::vector<std::byte>> Resample::pack_constant_data(const graph::Graph&, const graph::Node&,
                                                                 const KernelChoice&) const {
  return {};
}

std::span<const PushField> Resample::push_fields() const { return kPushFields; }

Launch Resample::launch(const LaunchContext& context) const {
  const Extent& in = input_extent(context);
  const Extent& out = output_extent(context);
  const uint32_t channels = u32(output_type(context.graph, context.node).channels);
  const ResamplePush push = {.row_begin = 0,
                             .row_end = u32(out.height_px),
                             .in_width = u32(in.width_px),
                             .in_height = u32(in.height_px),
                             .out_width = u32(out.width_px),
                             .out_height = u32(out.height_px),
                             .channels = channels,
                             .taps = resample_taps(std::get<graph::Resample>(context.node.op))};
  return {.grid = {u32(out.width_px), u32(out.height_px), channels}, .push = push_bytes(push)};
}

}  // namespace upres::kernels
