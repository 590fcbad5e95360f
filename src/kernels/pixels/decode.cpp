#include "kernels/pixels/decode.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// shaders/pixels/decode.slang, Push.
struct DecodePush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t features_width = 0;
  uint32_t features_height = 0;
  uint32_t side_width = 0;
  uint32_t side_height = 0;
  uint32_t row_words = 0;  // of the picture; 0 when it is planar
};

constexpr std::array kPushFields = {
    UPRES_PUSH_FIELD(DecodePush, row_begin),      UPRES_PUSH_FIELD(DecodePush, row_end),
    UPRES_PUSH_FIELD(DecodePush, features_width), UPRES_PUSH_FIELD(DecodePush, features_height),
    UPRES_PUSH_FIELD(DecodePush, side_width),     UPRES_PUSH_FIELD(DecodePush, side_height),
    UPRES_PUSH_FIELD(DecodePush, row_words)};

constexpr std::array<uint32_t, 4> kGroupSizesX = {32, 16, 64, 128};
constexpr std::array<uint32_t, 4> kGroupSizesY = {4, 8, 2, 1};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

constexpr uint32_t kPixelsPerThread = 4;
constexpr uint32_t kSharedBytes = 16;  // statistics of the group

bool has_side(const graph::Node& node) { return node.inputs.size() > 1; }

}  // namespace

std::string_view Decode::summary() const {
  return "pixel shuffle, side planes enlarged, back to grey or RGB, NaN and Inf counted";
}

std::span<const Tunable> Decode::tunables() const { return kTunables; }

bool Decode::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Decode>(node.op);
}

Status Decode::legal(const graph::Graph&, const graph::Node&, const DeviceInfo& device,
                     const Selection& selection) const {
  if (device.limits.max_shared_memory_bytes < kSharedBytes) {
    return fail(ErrorCode::device, "kernel decode needs 16 bytes of shared memory, but the device has " +
                                       std::to_string(device.limits.max_shared_memory_bytes));
  }
  return check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(DecodePush), 1, device);
}

KernelChoice Decode::choose(const graph::Graph& graph, const graph::Node& node,
                            const Selection& selection) const {
  const auto& decode = std::get<graph::Decode>(node.op);
  const TensorType& picture = output_type(graph, node);
  return {.kernel = id(),
          .variant = has_side(node) ? "side" : "",
          .constants = {{"channels", u32(picture.channels)},
                        {"rgb_network", decode.colors == graph::NetworkColors::rgb},
                        {"planar_picture", picture.layout == Layout::planar},
                        {"wide_samples", picture.dtype == DType::u16},
                        {"block", u32(decode.block)},
                        {"crd", decode.mode == graph::ShuffleMode::crd},
                        {"factor", u32(decode.factor)},
                        {"use_bilinear", decode.filter == graph::SideFilter::bilinear}},
          .group_size = tuned_group_size(*this, selection.tuning)};
}

BindingNames Decode::bindings(const graph::Graph&, const graph::Node& node) const {
  BindingNames names = {.inputs = {"features"}, .outputs = {"picture", "statistics"}, .constant_data = {}};
  if (has_side(node)) names.inputs.emplace_back("side");
  return names;
}

std::vector<std::vector<std::byte>> Decode::pack_constant_data(const graph::Graph&, const graph::Node&,
                                                               const KernelChoice&) const {
  return {};
}

std::span<const PushField> Decode::push_fields() const { return kPushFields; }

Launch Decode::launch(const LaunchContext& context) const {
  const TensorType& type = output_type(context.graph, context.node);
  const Extent& features = input_extent(context);
  const Extent& picture = output_extent(context);
  const Extent side = has_side(context.node) ? input_extent(context, 1) : Extent{};
  const DecodePush push = {.row_begin = 0,
                           .row_end = u32(picture.height_px),
                           .features_width = u32(features.width_px),
                           .features_height = u32(features.height_px),
                           .side_width = u32(side.width_px),
                           .side_height = u32(side.height_px),
                           .row_words = type.layout == Layout::planar ? 0 : row_words(type, picture)};
  return {.grid = {divide_up(u32(picture.width_px), kPixelsPerThread), u32(picture.height_px), 1},
          .push = push_bytes(push)};
}

}  // namespace upres::kernels
