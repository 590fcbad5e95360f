#include "kernels/conv/conv_naive.h"

#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array<uint32_t, 5> kGroupSizesX = {16, 8, 32, 64, 128};
constexpr std::array<uint32_t, 5> kGroupSizesY = {8, 4, 2, 1, 16};
constexpr std::array kTunables = {Tunable{"group_size_x", kGroupSizesX},
                                  Tunable{"group_size_y", kGroupSizesY}};

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string_view ConvNaive::summary() const {
  return "convolution, one thread a pixel, planar fp32 in storage buffers, no shared memory";
}

std::span<const Tunable> ConvNaive::tunables() const { return kTunables; }

Status ConvNaive::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                        const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  const auto fits =
      check_launch_limits(id(), tuned_group_size(*this, selection.tuning), sizeof(ConvPush), 1, device);
  if (!fits) return fits;
  return check_binding_range(id(), "weights", conv.weights->size() * sizeof(float), device);
}

KernelChoice ConvNaive::choose(const graph::Graph&, const graph::Node& node,
                               const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {.kernel = id(),
          .variant = {},
          .constants = conv_constants(conv),
          .group_size = tuned_group_size(*this, selection.tuning)};
}

std::vector<std::vector<std::byte>> ConvNaive::pack_constant_data(const graph::Graph&,
                                                                  const graph::Node& node,
                                                                  const KernelChoice&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {bytes_of(*conv.weights), bytes_of(*conv.biases)};
}

Launch ConvNaive::launch(const LaunchContext& context) const {
  const Extent out = convolved_extent(context);
  return conv_launch(context, {u32(out.width_px), u32(out.height_px), 1});
}

}  // namespace upres::kernels
