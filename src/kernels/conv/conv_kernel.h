// What all convolution kernels share: bindings, push block, launch, and the pieces of their packed constants.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"

namespace upres::kernels {

// shaders/conv/*.slang and *.slangh, Push.
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

// A launch over this grid: sizes and padding of the node, all rows of the grid.
Launch conv_launch(const LaunchContext& context, const Grid& grid);

// Of what the node's convolution gives, before it is shuffled.
Extent convolved_extent(const LaunchContext& context);

// The constants shuffle_block and shuffle_crd.
std::vector<Constant> shuffle_constants(const graph::Conv& conv);

// The constants kernel_size_x, kernel_size_y, in_channels, out_channels and apply_relu.
std::vector<Constant> conv_constants(const graph::Conv& conv);

// A weight of the convolution.
struct WeightPlace {
  int out_channel = 0;
  int in_channel = 0;
  int kernel_y = 0;
  int kernel_x = 0;
};
// Zero beyond the last output and input channels.
float weight_at(const graph::Conv& conv, const WeightPlace& place);

// Appends the bytes of a number as f32 or f16 (rounded to nearest even).
void append_number(std::vector<std::byte>& bytes, DType dtype, float value);

// [out_channels up to a multiple of `multiple`] float, zeros beyond the last.
std::vector<std::byte> pack_biases(const graph::Conv& conv, uint32_t multiple);

// The base of these kernels: inputs "input", "weights", "biases", output "output", and ConvPush.
class ConvKernel : public Kernel {
 public:
  [[nodiscard]] std::string_view family() const override { return "conv"; }
  // Every convolution without a shuffle.
  [[nodiscard]] bool computes(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] BindingNames bindings(const graph::Graph& graph, const graph::Node& node) const override;
  [[nodiscard]] std::span<const PushField> push_fields() const override;
};

}  // namespace upres::kernels
