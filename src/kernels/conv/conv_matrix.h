// Conv of any kernel size and number of channels on cooperative matrices; a tile of the input in shared
// memory.
#pragma once

#include "kernels/conv/fragments.h"

namespace upres::kernels {

// Shader: shaders/conv/conv_matrix.slang. What is stored lies pixel-major in f16 where its channels are a
// multiple of 16, else in planes of f32; at least one side must be such a multiple. It computes with channels
// rounded up to 16. A module for each number of fragments and each kind of input and output.
class ConvMatrix final : public MatrixConv {
 public:
  [[nodiscard]] std::string_view id() const override { return "conv_matrix"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  [[nodiscard]] GroupSize tile(std::span<const Tuning> tuning) const override;
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] std::vector<Storage> reads(const graph::Graph& graph, const graph::Node& node,
                                           DType dtype) const override;
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
