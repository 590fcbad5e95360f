// Store, one thread four neighbouring pixels of a row, so that it writes whole words.
#pragma once

#include "kernels/kernel.h"

namespace upres::kernels {

// Shader: shaders/pixels/store.slang.
class Store final : public Kernel {
 public:
  [[nodiscard]] std::string_view id() const override { return "store"; }
  [[nodiscard]] std::string_view family() const override { return "pixels"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] Status legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                             const Selection& selection) const override;
  [[nodiscard]] KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                    const Selection& selection) const override;
  [[nodiscard]] BindingNames bindings(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] std::vector<std::vector<std::byte>> pack_constant_data(
      const graph::Graph& graph, const graph::Node& node, const KernelChoice& choice) const override;
  [[nodiscard]] std::span<const PushField> push_fields() const override;
  [[nodiscard]] Launch launch(const LaunchContext& context) const override;
};

}  // namespace upres::kernels
