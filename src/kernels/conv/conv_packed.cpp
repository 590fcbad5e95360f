#include "kernels/conv/conv_packed.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array<uint32_t, 4> kGroupSizesX = {32, 16, 8, 64};
constexpr std::array<uint32_t, 4> kGroupSizesY = {4, 1, 2, 8};
constexpr std::array<uint32_t, 3> kGroupSizesZ = {1, 2, 4};
constexpr std::array<uint32_t, 2> kHalfSumsValues = {0, 1};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY},
                                  Tunable{"group_size_z", kGroupSizesZ}, kStorageOfBlocks,
                                  Tunable{kHalfSums, kHalfSumsValues, TunedBy::hand}};

}  // namespace

std::string_view ConvPacked::summary() const {
  return "convolution, one thread a pixel and four channels, channels packed by fours, no shared memory";
}

std::span<const Tunable> ConvPacked::tunables() const { return kTunables; }

Launch ConvPacked::launch(const LaunchContext& context) const {
  const Extent out = convolved_extent(context);
  const auto& conv = std::get<graph::Conv>(context.node.op);
  return conv_launch(context, {u32(out.width_px), u32(out.height_px), block_count(conv.out_channels)});
}

}  // namespace upres::kernels
