#include "kernels/conv/conv_rows.h"

#include <algorithm>
#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// A module of shaders/CMakeLists.txt: its channels (16 stands for every number of output channels up to 16
// where it writes planes) and the shape of its groups.
struct Shape {
  std::string_view variant;
  int in_channels = 0;
  int out_channels = 0;
  bool to_planes = false;
  uint32_t fragments_x = 1;
  uint32_t pixel_subgroups = 1;

  [[nodiscard]] uint32_t subgroups() const { return u32((out_channels + 15) / 16) * pixel_subgroups; }
  [[nodiscard]] uint32_t strip_px() const { return kFragment * fragments_x * pixel_subgroups; }
  [[nodiscard]] uint32_t shared_memory_bytes() const {
    constexpr uint32_t kBufferedRows = 3;
    const uint32_t rows = kBufferedRows * (strip_px() + 2) * (u32(in_channels) / 8 + 1) * 16;
    return rows + (to_planes ? subgroups() * kFragment * kFragment * 4 : 0);
  }
};

constexpr std::array kShapes = {
    Shape{"64_64", 64, 64, false, 2, 1},    Shape{"64_32", 64, 32, false, 2, 1},
    Shape{"32_32", 32, 32, false, 2, 2},    Shape{"32_64", 32, 64, false, 2, 1},
    Shape{"32_planes", 32, 16, true, 1, 4}, Shape{"64_planes", 64, 16, true, 1, 4}};

constexpr std::array<uint32_t, 6> kGroups = {264, 132, 396, 528, 64, 32};
constexpr std::array kTunables = {Tunable{"persistent_groups", kGroups}};

const Shape* find_shape(const graph::Conv& conv, bool to_planes) {
  const auto found = std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& shape) {
    const bool channels_fit =
        to_planes ? conv.out_channels <= shape.out_channels : conv.out_channels == shape.out_channels;
    return shape.to_planes == to_planes && shape.in_channels == conv.in_channels && channels_fit;
  });
  return found == kShapes.end() ? nullptr : &*found;
}

uint32_t persistent_groups(const Kernel& kernel, std::span<const Tuning> tuning) {
  return complete_tuning(kernel, tuning).front().value;
}

}  // namespace

std::string_view ConvRows::summary() const {
  return "3x3 convolution on cooperative matrices, weights in registers, groups that roll down the rows";
}

std::span<const Tunable> ConvRows::tunables() const { return kTunables; }

bool ConvRows::computes(const graph::Graph&, const graph::Node& node) const {
  const auto* conv = std::get_if<graph::Conv>(&node.op);
  return conv != nullptr && conv->kernel_width == 3 && conv->kernel_height == 3 &&
         (find_shape(*conv, false) != nullptr || find_shape(*conv, true) != nullptr);
}

std::vector<Storage> ConvRows::reads(const graph::Graph&, const graph::Node&, DType) const {
  return {kPixelMajorHalf};
}

std::vector<Storage> ConvRows::writes(const graph::Graph&, const graph::Node& node, DType) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  std::vector<Storage> storages;
  if (find_shape(conv, false) != nullptr) storages.push_back(kPixelMajorHalf);
  if (find_shape(conv, true) != nullptr) storages.emplace_back();
  return storages;
}

Status ConvRows::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                       const Selection&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  for (const bool to_planes : {false, true}) {
    const Shape* shape = find_shape(conv, to_planes);
    if (shape == nullptr) continue;
    auto status = check_matrices(id(), shape->subgroups(), shape->shared_memory_bytes(), device);
    if (!status) return status;
  }
  return {};
}

KernelChoice ConvRows::choose(const graph::Graph&, const graph::Node& node,
                              const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  const Shape& shape = *find_shape(conv, selection.output.arrangement == Arrangement::plain);
  return {.kernel = id(),
          .variant = shape.variant,
          .constants = {{"apply_relu", conv.apply_relu},
                        {"out_channels", u32(conv.out_channels)},
                        {"persistent_groups", persistent_groups(*this, selection.tuning)}},
          .group_size = {kMatrixSubgroupSize, shape.subgroups(), 1},
          .dtype = DType::f16,
          .input = selection.input,
          .output = selection.output};
}

// Samples in the order [kernel y][kernel x][in channel].
std::vector<std::vector<std::byte>> ConvRows::pack_constant_data(const graph::Graph&, const graph::Node& node,
                                                                 const KernelChoice&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  std::vector<WindowSample> samples;
  for (int ky = 0; ky < conv.kernel_height; ++ky) {
    for (int kx = 0; kx < conv.kernel_width; ++kx) {
      for (int in = 0; in < conv.in_channels; ++in) samples.push_back({in, ky, kx});
    }
  }
  return {pack_weight_fragments(conv, samples), pack_fragment_biases(conv)};
}

Launch ConvRows::launch(const LaunchContext& context) const {
  const uint32_t groups = context.choice.constant("persistent_groups");
  return conv_launch(context, {.width = groups * kMatrixSubgroupSize,
                               .rows = u32(output_extent(context).height_px),
                               .persistent = true});
}

}  // namespace upres::kernels
