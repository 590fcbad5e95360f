// Two convolutions in one kernel on cooperative matrices: one of a few planes in front of another, or one
// into a few planes behind another. What lies between them never leaves the processor.
#pragma once

#include "kernels/conv/fragments.h"

namespace upres::kernels {

// shaders/conv/pair.slangh, Push. mid: what lies between the two.
struct ConvPairPush {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
  uint32_t in_width = 0;
  uint32_t in_height = 0;
  uint32_t mid_width = 0;
  uint32_t mid_height = 0;
  uint32_t out_width = 0;
  uint32_t out_height = 0;
  int32_t first_padding_left = 0;
  int32_t first_padding_top = 0;
  int32_t second_padding_left = 0;
  int32_t second_padding_top = 0;
};

// Shaders: shaders/conv/conv_pair_front.slang and conv_pair_back.slang. A module for each shape.
class ConvPair final : public MatrixConv {
 public:
  [[nodiscard]] std::string_view id() const override { return "conv_pair"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] std::vector<Storage> reads(const graph::Graph& graph, const graph::Node& node,
                                           DType dtype) const override;
  [[nodiscard]] std::vector<Storage> writes(const graph::Graph& graph, const graph::Node& node,
                                            DType dtype) const override;
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
