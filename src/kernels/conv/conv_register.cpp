#include "kernels/conv/conv_register.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array<uint32_t, 3> kPixelsX = {1, 2, 4};
constexpr std::array<uint32_t, 4> kPixelsY = {4, 2, 1, 8};
constexpr std::array<uint32_t, 3> kChannelBlocks = {2, 1, 4};
constexpr std::array<uint32_t, 4> kGroupSizesX = {32, 16, 8, 64};
constexpr std::array<uint32_t, 4> kGroupSizesY = {4, 1, 2, 8};
constexpr std::array<uint32_t, 3> kGroupSizesZ = {1, 2, 4};
constexpr std::array kTunables = {Tunable{"pixels_x", kPixelsX},
                                  Tunable{"pixels_y", kPixelsY},
                                  Tunable{"channel_blocks", kChannelBlocks},
                                  Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY},
                                  Tunable{"group_size_z", kGroupSizesZ},
                                  kStorageOfBlocks};
constexpr std::array<std::string_view, 3> kTileNames = {"pixels_x", "pixels_y", "channel_blocks"};

// What a thread computes.
struct ThreadTile {
  uint64_t pixels_x = 1;
  uint64_t pixels_y = 1;
  uint64_t channel_blocks = 1;

  [[nodiscard]] uint64_t sums() const { return pixels_x * pixels_y * channel_blocks; }
  // Vectors of four that are alive at once: sums, a column of the window, a weight for each block of outputs.
  [[nodiscard]] uint64_t vectors(const graph::Conv& conv) const {
    return sums() + pixels_x * (pixels_y + u32(conv.kernel_height) - 1) + channel_blocks;
  }
  // Of a column of the kernel.
  [[nodiscard]] uint64_t multiply_adds(const graph::Conv& conv) const {
    return sums() * u32(conv.kernel_height) * block_inputs(conv.in_channels);
  }
};

ThreadTile thread_tile(const Kernel& kernel, const graph::Conv& conv, std::span<const Tuning> tuning) {
  return {tuned_value(kernel, tuning, "pixels_x"), tuned_value(kernel, tuning, "pixels_y"),
          even_share(block_count(conv.out_channels), tuned_value(kernel, tuning, "channel_blocks"))};
}

}  // namespace

std::string_view ConvRegister::summary() const {
  return "convolution, several pixels and blocks of channels a thread in registers, no shared memory";
}

std::span<const Tunable> ConvRegister::tunables() const { return kTunables; }

GroupSize ConvRegister::tile(std::span<const Tuning> tuning) const {
  GroupSize size = tuned_group_size(*this, tuning);
  size.x *= tuned_value(*this, tuning, "pixels_x");
  size.y *= tuned_value(*this, tuning, "pixels_y");
  return size;
}

Status ConvRegister::legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                           const Selection& selection) const {
  if (auto status = BlockConv::legal(graph, node, device, selection); !status) return status;
  if (auto status = check_tile_values(*this, selection.tuning, kTileNames); !status) return status;
  const auto& conv = std::get<graph::Conv>(node.op);
  const ThreadTile tile = thread_tile(*this, conv, selection.tuning);
  if (auto status = check_registers(id(), tile.vectors(conv), device); !status) return status;
  return check_unrolled(id(), tile.multiply_adds(conv));
}

KernelChoice ConvRegister::choose(const graph::Graph& graph, const graph::Node& node,
                                  const Selection& selection) const {
  KernelChoice choice = BlockConv::choose(graph, node, selection);
  const ThreadTile tile = thread_tile(*this, std::get<graph::Conv>(node.op), selection.tuning);
  choice.constants.push_back({"pixels_x", static_cast<uint32_t>(tile.pixels_x)});
  choice.constants.push_back({"pixels_y", static_cast<uint32_t>(tile.pixels_y)});
  choice.constants.push_back({"channel_blocks", static_cast<uint32_t>(tile.channel_blocks)});
  return choice;
}

// Rows of the grid are rows of threads, pixels_y pixels high.
Launch ConvRegister::launch(const LaunchContext& context) const {
  const Extent out = convolved_extent(context);
  const auto& conv = std::get<graph::Conv>(context.node.op);
  const KernelChoice& choice = context.choice;
  return conv_launch(context, {divide_up(u32(out.width_px), choice.constant("pixels_x")),
                               divide_up(u32(out.height_px), choice.constant("pixels_y")),
                               divide_up(block_count(conv.out_channels), choice.constant("channel_blocks"))});
}

}  // namespace upres::kernels
