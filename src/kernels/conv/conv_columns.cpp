#include "kernels/conv/conv_columns.h"

#include <algorithm>
#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr uint32_t kSubgroups = 4;
constexpr uint32_t kTile_px = kSubgroups * kMatrixSubgroupSize;
constexpr uint32_t kTileRows = 8;

// A module of shaders/CMakeLists.txt.
struct Shape {
  std::string_view variant;
  int in_channels = 0;
  int kernel_size = 0;
  int out_channels = 0;

  [[nodiscard]] uint32_t shared_memory_bytes() const {
    const uint32_t halo = u32(kernel_size) - 1;
    const uint32_t slices = divide_up(u32(in_channels * kernel_size * kernel_size), kFragment);
    const uint32_t planes = u32(in_channels) * (kTile_px + halo) * (kTileRows + halo) * 2;
    return planes + kTile_px * (2 * slices + 1) * 16 + kTile_px * (u32(out_channels) / 8 + 1) * 16;
  }
};

constexpr std::array kShapes = {Shape{"1_5x5_64", 1, 5, 64}, Shape{"1_3x3_64", 1, 3, 64},
                                Shape{"1_5x5_32", 1, 5, 32}, Shape{"3_3x3_64", 3, 3, 64}};

const Shape* find_shape(const graph::Conv& conv) {
  const auto found = std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& shape) {
    return shape.in_channels == conv.in_channels && shape.kernel_size == conv.kernel_width &&
           shape.kernel_size == conv.kernel_height && shape.out_channels == conv.out_channels;
  });
  return found == kShapes.end() ? nullptr : &*found;
}

}  // namespace

std::string_view ConvColumns::summary() const {
  return "convolution of a few planes on cooperative matrices, windows as columns in shared memory";
}

std::span<const Tunable> ConvColumns::tunables() const { return {}; }

bool ConvColumns::computes(const graph::Graph&, const graph::Node& node) const {
  const auto* conv = std::get_if<graph::Conv>(&node.op);
  return conv != nullptr && find_shape(*conv) != nullptr;
}

std::vector<Storage> ConvColumns::writes(const graph::Graph&, const graph::Node&, DType) const {
  return {kPixelMajorHalf};
}

Status ConvColumns::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                          const Selection&) const {
  const Shape& shape = *find_shape(std::get<graph::Conv>(node.op));
  return check_matrices(id(), kSubgroups, shape.shared_memory_bytes(), device);
}

KernelChoice ConvColumns::choose(const graph::Graph&, const graph::Node& node,
                                 const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {.kernel = id(),
          .variant = std::string(find_shape(conv)->variant),
          .constants = {{"apply_relu", conv.apply_relu}},
          .group_size = {kMatrixSubgroupSize, kSubgroups, 1},
          .dtype = DType::f16,
          .input = selection.input,
          .output = selection.output};
}

std::vector<std::vector<std::byte>> ConvColumns::pack_constant_data(const graph::Graph&,
                                                                    const graph::Node& node,
                                                                    const KernelChoice&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {pack_weight_fragments(conv, planar_samples(conv)), pack_biases(conv, kFragment)};
}

// A row of groups is kSubgroups rows of the grid and kTileRows rows of pixels.
Launch ConvColumns::launch(const LaunchContext& context) const {
  const Extent out = convolved_extent(context);
  return conv_launch(context, {.width = divide_up(u32(out.width_px), kTile_px) * kMatrixSubgroupSize,
                               .rows = divide_up(u32(out.height_px), kTileRows) * kSubgroups});
}

}  // namespace upres::kernels
