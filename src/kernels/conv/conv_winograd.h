// 3x3 Conv by Winograd's minimal filtering in one kernel, for devices without matrix units.
#pragma once

#include "kernels/conv/conv_blocks.h"

namespace upres::kernels {

// F(2x2, 3x3) in fp32: 2.25 times fewer multiplications than the direct form (Winograd 1980, "Arithmetic
// complexity of computations"; Lavin and Gray 2016, "Fast algorithms for convolutional neural networks",
// section 4.1). Kernels of 3x3 with any padding, input channels a multiple of four, any output channels.
// Shader: shaders/conv/conv_winograd.slang.
//
// Rounding: an output is a sum of nine products per input channel, as in the direct form, but of differences
// of four inputs with means of weights: partial sums are up to a few times larger, so roundings, too. Tests
// allow what they allow the direct form, one part in 2^23 for each of the nine products, because roundings of
// either sign cancel: the largest error of their cases is 2.9e-6 of 6.9e-5. The bits are not those of other
// kernels, and a picture's bits depend on whether a window of it begins at even or odd pixels.
//
// NaN and infinity: a pixel whose kernel covers one is NaN or infinite before the ReLU, but infinity may have
// become NaN, as differences are taken. Other pixels keep their bits: an output depends on nothing but the
// input under its kernel, although a tile reads more.
class ConvWinograd final : public BlockConv {
 public:
  [[nodiscard]] std::string_view id() const override { return "conv_winograd"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  // The pixels of a group.
  [[nodiscard]] GroupSize tile(std::span<const Tuning> tuning) const override;
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  // f32 only.
  [[nodiscard]] std::span<const DType> dtypes() const override;
  [[nodiscard]] Status legal(const graph::Graph& graph, const graph::Node& node, const DeviceInfo& device,
                             const Selection& selection) const override;
  [[nodiscard]] KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                    const Selection& selection) const override;
  // "weights": G g G', computed in double, [in_channels][16 products][out_channels / 4][4] float, zeros
  // beyond the last channels; "biases" as the other kernels on blocks.
  [[nodiscard]] std::vector<std::vector<std::byte>> pack_constant_data(
      const graph::Graph& graph, const graph::Node& node, const KernelChoice& choice) const override;
  [[nodiscard]] Launch launch(const LaunchContext& context) const override;
};

}  // namespace upres::kernels
