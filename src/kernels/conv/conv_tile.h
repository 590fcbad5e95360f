// Conv with the input of a group's pixels and their halo in shared memory.
#pragma once

#include "kernels/conv/conv_blocks.h"

namespace upres::kernels {

// Shader: shaders/conv/conv_tile.slang.
class ConvTile final : public BlockConv {
 public:
  [[nodiscard]] std::string_view id() const override { return "conv_tile"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  [[nodiscard]] Status legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                             const Selection& selection) const override;
  [[nodiscard]] KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                    const Selection& selection) const override;
  [[nodiscard]] Launch launch(const LaunchContext& context) const override;
};

}  // namespace upres::kernels
