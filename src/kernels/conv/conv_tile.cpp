#include "kernels/conv/conv_tile.h"

#include <array>
#include <string>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array<uint32_t, 3> kTileBlocks = {1, 2, 4};
constexpr std::array<uint32_t, 4> kChannelBlocks = {4, 2, 1, 8};
constexpr std::array<uint32_t, 4> kGroupSizesX = {16, 8, 32, 64};
constexpr std::array<uint32_t, 4> kGroupSizesY = {8, 4, 2, 16};
constexpr std::array<uint32_t, 3> kGroupSizesZ = {1, 2, 4};
constexpr std::array kTunables = {
    Tunable{"tile_blocks", kTileBlocks},   Tunable{"channel_blocks", kChannelBlocks},
    Tunable{"group_size_x", kGroupSizesX}, Tunable{"group_size_y", kGroupSizesY},
    Tunable{"group_size_z", kGroupSizesZ}, kStorageOfBlocks};
constexpr std::array<std::string_view, 2> kTileNames = {"tile_blocks", "channel_blocks"};

uint32_t tile_blocks(const Kernel& kernel, const graph::Conv& conv, std::span<const Tuning> tuning) {
  return even_share(block_count(conv.in_channels), tuned_value(kernel, tuning, "tile_blocks"));
}
uint32_t channel_blocks(const Kernel& kernel, const graph::Conv& conv, std::span<const Tuning> tuning) {
  return even_share(block_count(conv.out_channels), tuned_value(kernel, tuning, "channel_blocks"));
}

// In the larger of the types that the input may come in.
uint64_t shared_memory_bytes(const graph::Conv& conv, const GroupSize& group, uint32_t blocks) {
  const uint64_t width = uint64_t{group.x} + u32(conv.kernel_width) - 1;
  const uint64_t height = uint64_t{group.y} + u32(conv.kernel_height) - 1;
  return width * height * blocks * kBlockChannels * sizeof(float);
}

}  // namespace

std::string_view ConvTile::summary() const {
  return "convolution, input tile with its halo in shared memory, one thread a pixel and several blocks of "
         "channels";
}

std::span<const Tunable> ConvTile::tunables() const { return kTunables; }

Status ConvTile::legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                       const Selection& selection) const {
  if (auto status = BlockConv::legal(graph, node, device, selection); !status) return status;
  if (auto status = check_tile_values(*this, selection.tuning, kTileNames); !status) return status;
  const auto& conv = std::get<graph::Conv>(node.op);
  const uint64_t bytes = shared_memory_bytes(conv, tuned_group_size(*this, selection.tuning),
                                             tile_blocks(*this, conv, selection.tuning));
  if (auto status = check_shared_memory(id(), bytes, device); !status) return status;
  // Sums, a weight for each, a pixel.
  const uint64_t sums = channel_blocks(*this, conv, selection.tuning);
  if (auto status = check_registers(id(), 2 * sums + 1, device); !status) return status;
  return check_unrolled(id(), sums * u32(conv.kernel_height) * block_inputs(conv.in_channels));
}

KernelChoice ConvTile::choose(const graph::Graph& graph, const graph::Node& node,
                              const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  KernelChoice choice = BlockConv::choose(graph, node, selection);
  choice.constants.push_back({"tile_blocks", tile_blocks(*this, conv, selection.tuning)});
  choice.constants.push_back({"channel_blocks", channel_blocks(*this, conv, selection.tuning)});
  return choice;
}

Launch ConvTile::launch(const LaunchContext& context) const {
  const Extent out = convolved_extent(context);
  const auto& conv = std::get<graph::Conv>(context.node.op);
  const uint32_t depth = divide_up(block_count(conv.out_channels), context.choice.constant("channel_blocks"));
  return conv_launch(context, {u32(out.width_px), u32(out.height_px), depth});
}

}  // namespace upres::kernels
