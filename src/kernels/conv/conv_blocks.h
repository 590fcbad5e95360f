// What the convolution kernels on blocks of four channels share: push block, constants, variants, packed
// weights.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"

namespace upres::kernels {

inline constexpr uint32_t kBlockChannels = 4;

// shaders/conv/*.slang, Push.
struct ConvPush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t in_width = 0;
  uint32_t in_height = 0;
  uint32_t out_width = 0;
  uint32_t out_height = 0;
  int32_t padding_left = 0;
  int32_t padding_top = 0;
};

std::span<const PushField> conv_push_fields();

// A launch over this grid: sizes and padding of the node, all rows of the grid.
Launch conv_launch(const LaunchContext& context, const Grid& grid);

// Number of blocks that cover the channels.
constexpr uint32_t block_count(int channels) {
  return (static_cast<uint32_t>(channels) + kBlockChannels - 1) / kBlockChannels;
}

// The base of these kernels. Modules: the plain one works on packed f32, and there are the variants
// "from_planes" (its input is plain), "to_planes" (its output), "planes" (both), and "fp16",
// "fp16_from_planes", ... for f16.
class BlockConv : public Kernel {
 public:
  [[nodiscard]] std::string_view family() const override { return "conv"; }
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] std::span<const DType> dtypes() const override;
  [[nodiscard]] std::vector<Storage> reads(const graph::Graph& graph, const graph::Node& node,
                                           DType dtype) const override;
  [[nodiscard]] std::vector<Storage> writes(const graph::Graph& graph, const graph::Node& node,
                                            DType dtype) const override;
  // Group size, push constants, weights, type. Kernels add what they need besides.
  [[nodiscard]] Status legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                             const Selection& selection) const override;
  // The constants kernel_size_x, kernel_size_y, in_channels, out_channels and apply_relu, to which kernels
  // add their own.
  [[nodiscard]] KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                    const Selection& selection) const override;
  [[nodiscard]] BindingNames bindings(const graph::Graph& graph, const graph::Node& node) const override;
  // "weights": [out_channels / 4][kernel y][kernel x][in_channels][4] in the choice's type, and "biases":
  // [out_channels / 4][4] float; zeros beyond the last output channel.
  [[nodiscard]] std::vector<std::vector<std::byte>> pack_constant_data(
      const graph::Graph& graph, const graph::Node& node, const KernelChoice& choice) const override;
  [[nodiscard]] std::span<const PushField> push_fields() const override;
};

}  // namespace upres::kernels
