// Conv on channels packed by fours, one thread a pixel and four output channels, no shared memory.
#pragma once

#include "kernels/conv/conv_blocks.h"

namespace upres::kernels {

// Shader: shaders/conv/conv_packed.slang.
class ConvPacked final : public BlockConv {
 public:
  [[nodiscard]] std::string_view id() const override { return "conv_packed"; }
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] std::span<const Tunable> tunables() const override;
  [[nodiscard]] Launch launch(const LaunchContext& context) const override;
};

}  // namespace upres::kernels
