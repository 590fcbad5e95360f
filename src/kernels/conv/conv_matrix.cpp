#include "kernels/conv/conv_matrix.h"

#include <algorithm>
#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr uint32_t kTile_px = 32;
constexpr uint32_t kChunkTaps = 3;

constexpr std::array<uint32_t, 2> kPixelFragments = {4, 2};
// The most of a subgroup: channels are divided among groups as evenly as they can be.
constexpr std::array<uint32_t, 3> kChannelFragments = {4, 2, 1};
constexpr std::array<uint32_t, 2> kSubgroups = {4, 8};
constexpr std::array kTunables = {Tunable{"pixel_fragments", kPixelFragments},
                                  Tunable{"channel_fragments", kChannelFragments},
                                  Tunable{"subgroups", kSubgroups}};

struct Shape {
  const graph::Conv& conv;
  uint32_t pixel_fragments = 1;
  uint32_t most_channel_fragments = 1;
  uint32_t subgroups = 1;

  [[nodiscard]] uint32_t out_blocks() const { return divide_up(u32(conv.out_channels), kFragment); }
  [[nodiscard]] uint32_t channel_groups() const { return divide_up(out_blocks(), most_channel_fragments); }
  [[nodiscard]] uint32_t channel_fragments() const { return divide_up(out_blocks(), channel_groups()); }
  [[nodiscard]] uint32_t tile_rows() const { return pixel_fragments / 2 * subgroups; }
  [[nodiscard]] uint32_t shared_memory_bytes() const {
    const uint64_t halo_width = kTile_px + u32(conv.kernel_width) - 1;
    const uint64_t halo_height = tile_rows() + u32(conv.kernel_height) - 1;
    const uint64_t weight_words = uint64_t{2} * kChunkTaps * kFragment * (2 * channel_fragments() + 1);
    const uint64_t bytes = (halo_width * halo_height * 3 + weight_words) * 16;
    return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
  }
  [[nodiscard]] uint64_t weight_bytes() const {
    const uint64_t taps = uint64_t{u32(conv.kernel_width)} * u32(conv.kernel_height);
    return taps * divide_up(u32(conv.in_channels), kFragment) * out_blocks() * kFragment * kFragment * 2;
  }
};

Shape tuned_shape(const Kernel& kernel, const graph::Conv& conv, std::span<const Tuning> tuning) {
  const auto complete = complete_tuning(kernel, tuning);
  return {conv, complete[0].value, complete[1].value, complete[2].value};
}

template <size_t kSize>
bool is_one_of(const std::array<uint32_t, kSize>& values, uint32_t value) {
  return std::ranges::count(values, value) > 0;
}

// Values of a database or a file: those without a module are not legal.
Status check_values(std::string_view kernel, const Shape& shape) {
  const bool are_offered = is_one_of(kPixelFragments, shape.pixel_fragments) &&
                           is_one_of(kChannelFragments, shape.most_channel_fragments) &&
                           is_one_of(kSubgroups, shape.subgroups);
  if (are_offered) return {};
  return fail(ErrorCode::device, "kernel " + std::string(kernel) + " has no module for " +
                                     std::to_string(shape.pixel_fragments) + " fragments of pixels, " +
                                     std::to_string(shape.most_channel_fragments) + " of channels and " +
                                     std::to_string(shape.subgroups) + " subgroups");
}

std::string module_variant(const Shape& shape, const Selection& selection) {
  const bool from_planes = selection.input.arrangement == Arrangement::plain;
  const bool to_planes = selection.output.arrangement == Arrangement::plain;
  return std::to_string(shape.pixel_fragments) + "x" + std::to_string(shape.channel_fragments()) +
         (from_planes && to_planes ? "_planes"
          : from_planes            ? "_from_planes"
          : to_planes              ? "_to_planes"
                                   : "");
}

std::vector<Storage> storages_of(const TensorType& type) {
  return can_store(kPixelMajorHalf, type) ? std::vector{kPixelMajorHalf, Storage{}} : std::vector{Storage{}};
}

// In the order [in channel / 16][kernel y][kernel x][16]; beyond the last channel weights are zero.
std::vector<WindowSample> sliced_samples(const graph::Conv& conv) {
  constexpr int kSlice = static_cast<int>(kFragment);
  std::vector<WindowSample> samples;
  for (int first = 0; first < conv.in_channels; first += kSlice) {
    for (int ky = 0; ky < conv.kernel_height; ++ky) {
      for (int kx = 0; kx < conv.kernel_width; ++kx) {
        for (int i = 0; i < kSlice; ++i) samples.push_back({first + i, ky, kx});
      }
    }
  }
  return samples;
}

}  // namespace

std::string_view ConvMatrix::summary() const {
  return "convolution of any shape on cooperative matrices, a tile of the input in shared memory";
}

std::span<const Tunable> ConvMatrix::tunables() const { return kTunables; }

GroupSize ConvMatrix::tile(std::span<const Tuning> tuning) const {
  const auto complete = complete_tuning(*this, tuning);
  return {kTile_px, complete[0].value / 2 * complete[2].value, 1};
}

bool ConvMatrix::computes(const graph::Graph&, const graph::Node& node) const {
  const auto* conv = std::get_if<graph::Conv>(&node.op);
  return conv != nullptr &&
         (u32(conv->in_channels) % kFragment == 0 || u32(conv->out_channels) % kFragment == 0);
}

std::vector<Storage> ConvMatrix::reads(const graph::Graph& graph, const graph::Node& node, DType) const {
  return storages_of(input_type(graph, node));
}

std::vector<Storage> ConvMatrix::writes(const graph::Graph& graph, const graph::Node& node, DType) const {
  if (std::get<graph::Conv>(node.op).shuffle.block != 1) return {Storage{}};
  return storages_of(output_type(graph, node));
}

Status ConvMatrix::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                         const Selection& selection) const {
  const Shape shape = tuned_shape(*this, std::get<graph::Conv>(node.op), selection.tuning);
  if (auto status = check_values(id(), shape); !status) return status;
  auto status = check_matrices(id(), shape.subgroups, shape.shared_memory_bytes(), device);
  if (!status) return status;
  return check_binding_range(id(), "weights", shape.weight_bytes(), device);
}

KernelChoice ConvMatrix::choose(const graph::Graph&, const graph::Node& node,
                                const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  const Shape shape = tuned_shape(*this, conv, selection.tuning);
  std::vector<Constant> constants = conv_constants(conv);
  constants.push_back({"channel_groups", shape.channel_groups()});
  constants.push_back({"tile_rows", shape.tile_rows()});
  if (selection.output.arrangement == Arrangement::plain)
    std::ranges::copy(shuffle_constants(conv), std::back_inserter(constants));
  return {.kernel = id(),
          .variant = module_variant(shape, selection),
          .constants = std::move(constants),
          .group_size = {kMatrixSubgroupSize, shape.subgroups, 1},
          .dtype = DType::f16,
          .input = selection.input,
          .output = selection.output};
}

std::vector<std::vector<std::byte>> ConvMatrix::pack_constant_data(const graph::Graph&,
                                                                   const graph::Node& node,
                                                                   const KernelChoice&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {pack_weight_fragments(conv, sliced_samples(conv)), pack_biases(conv, kFragment)};
}

// A row of groups is `subgroups` rows of the grid and tile_rows rows of pixels.
Launch ConvMatrix::launch(const LaunchContext& context) const {
  const Extent out = convolved_extent(context);
  const uint32_t tiles_y = divide_up(u32(out.height_px), context.choice.constant("tile_rows"));
  const uint32_t groups = divide_up(u32(out.width_px), kTile_px) * context.choice.constant("channel_groups");
  return conv_launch(context,
                     {.width = groups * kMatrixSubgroupSize, .rows = tiles_y * context.choice.group_size.y});
}

}  // namespace upres::kernels
