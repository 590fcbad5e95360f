// Conv, one thread a pixel with a loop over output channels: the plain kernel that others are measured
// against.
#pragma once

#include "kernels/conv/conv_kernel.h"

namespace upres::kernels {

// Shader: shaders/conv/conv_naive.slang.
class ConvNaive final : public ConvKernel {
 public:
  [[nodiscard]] std::string_view id() const override { return "conv_naive"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  [[nodiscard]] Status legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                             const Selection& selection) const override;
  [[nodiscard]] KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                    const Selection& selection) const override;
  [[nodiscard]] std::vector<std::vector<std::byte>> pack_constant_data(
      const graph::Graph& graph, const graph::Node& node, const KernelChoice& choice) const override;
  [[nodiscard]] Launch launch(const LaunchContext& context) const override;
};

}  // namespace upres::kernels
