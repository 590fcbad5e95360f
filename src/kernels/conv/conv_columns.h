// Conv of a few planes on cooperative matrices: windows become columns of a matrix in shared memory.
#pragma once

#include "kernels/conv/fragments.h"

namespace upres::kernels {

// Shader: shaders/conv/conv_columns.slang. A module for each shape.
class ConvColumns final : public MatrixConv {
 public:
  [[nodiscard]] std::string_view id() const override { return "conv_columns"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] std::vector<Storage> writes(const graph::Graph& graph, const graph::Node& node,
                                            DType dtype) const override;
  [[nodiscard]] Status legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                             const Selection& selection) const override;
  [[nodiscard]] KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                    const Selection& selection) const override;
  [[nodiscard]] std::vector<std::vector<std::byte>> pack_constant_data(
      const graph::Graph& graph, const graph::Node& node, const KernelChoice& choice) const override;
  [[nodiscard]] Launch launch(const LaunchContext& context) const override;
};

}  // namespace upres::kernels
