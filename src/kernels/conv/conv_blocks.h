// What the convolution kernels on blocks of four channels share: variants, packed weights, and the order in
// which terms are added (shaders/conv/blocks.slangh), so that all of them, with whatever tunables, give the
// same bits on one device.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/conv/conv_kernel.h"

namespace upres::kernels {

inline constexpr uint32_t kBlockChannels = 4;

// The tunable of those that have modules for images.
inline constexpr std::array<uint32_t, 2> kStorageValues = {kInBuffers, kInImages};
inline constexpr Tunable kStorageOfBlocks = {kStorageTunable, kStorageValues, TunedBy::tune};

// Number of blocks that cover the channels.
constexpr uint32_t block_count(int channels) {
  return (static_cast<uint32_t>(channels) + kBlockChannels - 1) / kBlockChannels;
}

// Channels of an input block that have weights: four, or all where there are fewer.
constexpr uint32_t block_inputs(int in_channels) {
  return std::min(static_cast<uint32_t>(in_channels), kBlockChannels);
}

// Blocks a thread when threads compute at most `most` each (at least 1): as few as make no thread more.
constexpr uint32_t even_share(uint32_t blocks, uint32_t most) {
  const uint32_t threads = (blocks + most - 1) / most;
  return (blocks + threads - 1) / threads;
}

// The value of a tunable that the kernel has: `tuning`'s where it names it, else the default.
uint32_t tuned_value(const Kernel& kernel, std::span<const Tuning> tuning, std::string_view name);

// Whether these values lie in 1..64, so that products of them do not overflow. Errors: device, naming kernel
// and tunable.
Status check_tile_values(const Kernel& kernel, std::span<const Tuning> tuning,
                         std::span<const std::string_view> names);

// Whether a thread that keeps this many vectors of four floats has the registers for them. A device says
// nothing about its registers: this knows vendors' published numbers, and that software devices keep them in
// memory. Errors: device.
Status check_registers(std::string_view kernel, uint64_t vectors, const DeviceInfo& device);

// Whether an unrolled loop of this many multiply-adds on vectors is one that drivers compile in bearable
// time. Errors: device.
Status check_unrolled(std::string_view kernel, uint64_t multiply_adds);

// The base of these kernels. Modules: the plain one works on packed f32, and there are the variants
// "from_planes" (its input is plain), "to_planes" (its output), "planes" (both), "image" (input and output
// are images), "from_planes_to_image", "from_image_to_planes", and "fp16", "fp16_from_planes", ... for f16,
// "fp16_sums", ... with half_sums. Only kernels with the tunable `storage` have images.
class BlockConv : public ConvKernel {
 public:
  // Every convolution; the plain output of one with a shuffle is shuffled.
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] std::span<const DType> dtypes() const override;
  [[nodiscard]] std::vector<Storage> reads(const graph::Graph& graph, const graph::Node& node,
                                           DType dtype) const override;
  [[nodiscard]] std::vector<Storage> writes(const graph::Graph& graph, const graph::Node& node,
                                            DType dtype) const override;
  // Group size, push constants, weights, type, images. Kernels add what they need besides.
  [[nodiscard]] Status legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                             const Selection& selection) const override;
  // The constants of conv_constants(), to which kernels add their own.
  [[nodiscard]] KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                    const Selection& selection) const override;
  // "weights": [out_channels / 4][in_channels / 4][kernel x][kernel y][block_inputs][4] in the choice's type,
  // and "biases": [out_channels / 4][4] float; zeros beyond the last channels.
  [[nodiscard]] std::vector<std::vector<std::byte>> pack_constant_data(
      const graph::Graph& graph, const graph::Node& node, const KernelChoice& choice) const override;
};

}  // namespace upres::kernels
