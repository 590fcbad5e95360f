#include "kernels/pixels/store.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// shaders/pixels/store.slang, Push.
struct StorePush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t row_words = 0;
};

constexpr std::array kPushFields = {UPRES_PUSH_FIELD(StorePush, row_begin),
                                    UPRES_PUSH_FIELD(StorePush, row_end), UPRES_PUSH_FIELD(StorePush, width),
                                    UPRES_PUSH_FIELD(StorePush, height),
                                    UPRES_PUSH_FIELD(StorePush, row_words)};

constexpr std::array<uint32_t, 3> kGroupSizesX = {32, 64, 128};
constexpr std::array<uint32_t, 3> kGroupSizesY = {4, 2, 1};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

constexpr uint32_t kPixelsPerThread = 4;

}  // namespace

std::string_view Store::summary() const { return "planes to interleaved 8- or 16-bit pixels"; }

std::span<const Tunable> Store::tunables() const { return kTunables; }

bool Store::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Store>(node.op);
}

Status Store::legal(const graph::Graph&, const graph::Node&, const DeviceInfo& device,
                    const Selection& selection) const {
  return check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(StorePush), 1, device);
}

KernelChoice Store::choose(const graph::Graph& graph, const graph::Node& node,
                           const Selection& selection) const {
  const TensorType& picture = output_type(graph, node);
  return {.kernel = id(),
          .variant = {},
          .constants = {{"channels", u32(picture.channels)}, {"wide_samples", picture.dtype == DType::u16}},
          .group_size = tuned_group_size(*this, selection.tuning)};
}

BindingNames Store::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"planes"}, .outputs = {"picture"}, .constant_data = {}};
}

std::vector<std::vector<std::byte>> Store::pack_constant_data(const graph::Graph&, const graph::Node&,
                                                              const KernelChoice&) const {
  return {};
}

std::span<const PushField> Store::push_fields() const { return kPushFields; }

Launch Store::launch(const LaunchContext& context) const {
  const Extent& picture = output_extent(context);
  const StorePush push = {.row_begin = 0,
                          .row_end = u32(picture.height_px),
                          .width = u32(picture.width_px),
                          .height = u32(picture.height_px),
                          .row_words = row_words(output_type(context.graph, context.node), picture)};
  return {.grid = {divide_up(u32(picture.width_px), kPixelsPerThread), u32(picture.height_px), 1},
          .push = push_bytes(push)};
}

}  // namespace upres::kernels
