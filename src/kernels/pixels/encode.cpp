#include "kernels/pixels/encode.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// shaders/pixels/encode.slang, Push.
struct EncodePush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t row_words = 0;
};

constexpr std::array kPushFields = {UPRES_PUSH_FIELD(EncodePush, row_begin),
                                    UPRES_PUSH_FIELD(EncodePush, row_end),
                                    UPRES_PUSH_FIELD(EncodePush, width), UPRES_PUSH_FIELD(EncodePush, height),
                                    UPRES_PUSH_FIELD(EncodePush, row_words)};

constexpr std::array<uint32_t, 3> kGroupSizesX = {32, 64, 128};
constexpr std::array<uint32_t, 3> kGroupSizesY = {4, 2, 1};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

bool has_side(const graph::Node& node) { return node.outputs.size() > 1; }

}  // namespace

std::string_view Encode::summary() const {
  return "pixels to Y or R, G, B planes, and Cb, Cr, alpha beside the network";
}

std::span<const Tunable> Encode::tunables() const { return kTunables; }

bool Encode::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Encode>(node.op);
}

Status Encode::legal(const graph::Graph&, const graph::Node&, const DeviceInfo& device,
                     const Selection& selection) const {
  return check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(EncodePush), 1, device);
}

KernelChoice Encode::choose(const graph::Graph& graph, const graph::Node& node,
                            const Selection& selection) const {
  const auto& encode = std::get<graph::Encode>(node.op);
  const TensorType& pixels = input_type(graph, node);
  return {.kernel = id(),
          .variant = has_side(node) ? "side" : "",
          .constants = {{"channels", u32(pixels.channels)},
                        {"wide_samples", pixels.dtype == DType::u16},
                        {"rgb_network", encode.colors == graph::NetworkColors::rgb}},
          .group_size = tuned_group_size(*this, selection.tuning)};
}

BindingNames Encode::bindings(const graph::Graph&, const graph::Node& node) const {
  BindingNames names = {.inputs = {"pixels"}, .outputs = {"planes"}, .constant_data = {}};
  if (has_side(node)) names.outputs.emplace_back("side");
  return names;
}

std::vector<std::vector<std::byte>> Encode::pack_constant_data(const graph::Graph&, const graph::Node&,
                                                               const KernelChoice&) const {
  return {};
}

std::span<const PushField> Encode::push_fields() const { return kPushFields; }

Launch Encode::launch(const LaunchContext& context) const {
  const Extent& in = input_extent(context);
  const EncodePush push = {.row_begin = 0,
                           .row_end = u32(in.height_px),
                           .width = u32(in.width_px),
                           .height = u32(in.height_px),
                           .row_words = row_words(input_type(context.graph, context.node), in)};
  return {.grid = {u32(in.width_px), u32(in.height_px), 1}, .push = push_bytes(push)};
}

}  // namespace upres::kernels
