#include "kernels/conv/conv_winograd.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array kDTypes = {DType::f32};

constexpr int kKernelSize = 3;
constexpr uint32_t kTileSize_px = 2;
constexpr uint32_t kPatchSize_px = 4;
constexpr uint32_t kProducts = kPatchSize_px * kPatchSize_px;

constexpr std::array<uint32_t, 3> kTiles = {8, 4, 2};
constexpr std::array<uint32_t, 3> kChannelBlocks = {2, 4, 1};
constexpr std::array<uint32_t, 4> kTileThreads = {2, 4, 8, 16};
constexpr std::array<uint32_t, 4> kChannelThreads = {4, 2, 8, 1};
constexpr std::array<uint32_t, 4> kTilesX = {4, 8, 16, 32};
constexpr std::array<uint32_t, 3> kSliceBlocks = {2, 1, 4};
constexpr std::array kTunables = {Tunable{"tiles", kTiles},
                                  Tunable{"channel_blocks", kChannelBlocks},
                                  Tunable{"tile_threads", kTileThreads},
                                  Tunable{"channel_threads", kChannelThreads},
                                  Tunable{"tiles_x", kTilesX},
                                  Tunable{"slice_blocks", kSliceBlocks}};
constexpr std::array<std::string_view, 6> kTunableNames = {
    "tiles", "channel_blocks", "tile_threads", "channel_threads", "tiles_x", "slice_blocks"};

// How a group shares its work.
struct Shape {
  uint32_t tiles = 1;           // of a thread
  uint32_t channel_blocks = 1;  // of a thread
  uint32_t tile_threads = 1;
  uint32_t channel_threads = 1;
  uint32_t tiles_x = 1;
  uint32_t slice_blocks = 1;

  [[nodiscard]] uint32_t product_threads() const { return tile_threads * channel_threads; }
  [[nodiscard]] uint32_t threads() const { return kProducts * product_threads(); }
  [[nodiscard]] uint32_t group_tiles() const { return tile_threads * tiles; }
  [[nodiscard]] uint32_t tiles_y() const { return group_tiles() / tiles_x; }
  [[nodiscard]] uint32_t slice_vectors() const { return slice_blocks * kProducts * group_tiles(); }
  // Tiles of each thread whose sums are in shared memory at a time: as many as fit where the input was, a
  // divisor of what there are.
  [[nodiscard]] uint32_t exchange_tiles() const {
    uint32_t most = tiles;
    while (most > 1 && (tiles % most != 0 || threads() * most > slice_vectors())) --most;
    return most;
  }
  [[nodiscard]] uint32_t shared_vectors() const {
    return std::max(slice_vectors(), threads() * exchange_tiles());
  }
  // Vectors of four that are alive at once: sums, inputs, weights and those of the next channel.
  [[nodiscard]] uint64_t vectors() const {
    return uint64_t{tiles} * channel_blocks + tiles + 2 * channel_blocks;
  }
  [[nodiscard]] uint32_t channel_groups(uint32_t out_blocks) const {
    return divide_up(out_blocks, channel_threads * channel_blocks);
  }
};

Shape shape_of(const Kernel& kernel, std::span<const Tuning> tuning) {
  const auto value = [&](std::string_view name) { return tuned_value(kernel, tuning, name); };
  Shape shape = {.tiles = value("tiles"),
                 .channel_blocks = value("channel_blocks"),
                 .tile_threads = value("tile_threads"),
                 .channel_threads = value("channel_threads"),
                 .tiles_x = value("tiles_x"),
                 .slice_blocks = value("slice_blocks")};
  shape.tiles_x = std::min(shape.tiles_x, shape.group_tiles());
  return shape;
}

// Without threads, sums and slices that the convolution has no channels for.
Shape shape_for(const Kernel& kernel, const graph::Conv& conv, std::span<const Tuning> tuning) {
  Shape shape = shape_of(kernel, tuning);
  const uint32_t out_blocks = block_count(conv.out_channels);
  shape.channel_threads = std::min(shape.channel_threads, out_blocks);
  shape.channel_blocks = even_share(divide_up(out_blocks, shape.channel_threads), shape.channel_blocks);
  shape.slice_blocks = std::min(shape.slice_blocks, block_count(conv.in_channels));
  return shape;
}

Status check_whole_rows(std::string_view kernel, const Shape& shape) {
  if (shape.group_tiles() % shape.tiles_x == 0) return {};
  return fail(ErrorCode::device,
              "kernel " + std::string(kernel) + ": a group's " + std::to_string(shape.group_tiles()) +
                  " tiles are not a multiple of tiles_x, " + std::to_string(shape.tiles_x));
}

// G g G' of one pair of channels, of this product.
double transformed_weight(const graph::Conv& conv, int out_channel, int in_channel, uint32_t product) {
  static constexpr std::array<std::array<double, kKernelSize>, kPatchSize_px> kG = {
      {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}};
  double sum = 0;
  for (int y = 0; y < kKernelSize; ++y) {
    for (int x = 0; x < kKernelSize; ++x) {
      sum += kG[product / kPatchSize_px][static_cast<size_t>(y)] *
             kG[product % kPatchSize_px][static_cast<size_t>(x)] *
             double{weight_at(conv, {out_channel, in_channel, y, x})};
    }
  }
  return sum;
}

std::vector<std::byte> pack_weights(const graph::Conv& conv) {
  const auto out_channels = static_cast<int>(block_count(conv.out_channels) * kBlockChannels);
  std::vector<std::byte> bytes;
  for (int in = 0; in < conv.in_channels; ++in) {
    for (uint32_t product = 0; product < kProducts; ++product) {
      for (int out = 0; out < out_channels; ++out) {
        append_number(bytes, DType::f32, static_cast<float>(transformed_weight(conv, out, in, product)));
      }
    }
  }
  return bytes;
}

}  // namespace

std::string_view ConvWinograd::summary() const {
  return "3x3 convolution by Winograd's F(2x2, 3x3), transforms and products in one kernel";
}

std::span<const Tunable> ConvWinograd::tunables() const { return kTunables; }

std::span<const DType> ConvWinograd::dtypes() const { return kDTypes; }

GroupSize ConvWinograd::tile(std::span<const Tuning> tuning) const {
  const Shape shape = shape_of(*this, tuning);
  return {shape.tiles_x * kTileSize_px, shape.tiles_y() * kTileSize_px, 1};
}

bool ConvWinograd::computes(const graph::Graph&, const graph::Node& node) const {
  const auto* conv = std::get_if<graph::Conv>(&node.op);
  return conv != nullptr && conv->kernel_width == kKernelSize && conv->kernel_height == kKernelSize &&
         u32(conv->in_channels) % kBlockChannels == 0;
}

Status ConvWinograd::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                           const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  if (auto status = check_tile_values(*this, selection.tuning, kTunableNames); !status) return status;
  const Shape shape = shape_for(*this, conv, selection.tuning);
  if (auto status = check_whole_rows(id(), shape); !status) return status;
  if (auto status = check_launch_limits(id(), {shape.threads(), 1, 1}, sizeof(ConvPush), 1, device); !status)
    return status;
  const uint64_t weights_bytes = uint64_t{u32(conv.in_channels)} * kProducts *
                                 block_count(conv.out_channels) * kBlockChannels * sizeof(float);
  if (auto status = check_binding_range(id(), "weights", weights_bytes, device); !status) return status;
  const uint64_t shared_bytes = uint64_t{shape.shared_vectors()} * kBlockChannels * sizeof(float);
  if (auto status = check_shared_memory(id(), shared_bytes, device); !status) return status;
  if (auto status = check_registers(id(), shape.vectors(), device); !status) return status;
  return check_unrolled(id(), uint64_t{shape.tiles} * shape.channel_blocks * kBlockChannels);
}

KernelChoice ConvWinograd::choose(const graph::Graph& graph, const graph::Node& node,
                                  const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  const Shape shape = shape_for(*this, conv, selection.tuning);
  KernelChoice choice = BlockConv::choose(graph, node, selection);
  choice.group_size = {shape.threads(), 1, 1};
  const auto add = [&](std::string_view name, uint32_t value) {
    choice.constants.push_back({std::string(name), value});
  };
  add("tiles", shape.tiles);
  add("channel_blocks", shape.channel_blocks);
  add("tile_threads", shape.tile_threads);
  add("channel_threads", shape.channel_threads);
  add("tiles_x", shape.tiles_x);
  add("slice_blocks", shape.slice_blocks);
  add("exchange_tiles", shape.exchange_tiles());
  add("shared_vectors", shape.shared_vectors());
  add("channel_groups", shape.channel_groups(block_count(conv.out_channels)));
  return choice;
}

std::vector<std::vector<std::byte>> ConvWinograd::pack_constant_data(const graph::Graph&,
                                                                     const graph::Node& node,
                                                                     const KernelChoice&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {pack_weights(conv), pack_biases(conv, kBlockChannels)};
}

// Rows of the grid are rows of groups.
Launch ConvWinograd::launch(const LaunchContext& context) const {
  const Extent out = convolved_extent(context);
  const KernelChoice& choice = context.choice;
  const uint32_t tiles_x = choice.constant("tiles_x");
  const uint32_t tiles_y = choice.constant("tile_threads") * choice.constant("tiles") / tiles_x;
  const uint32_t groups_x =
      divide_up(u32(out.width_px), tiles_x * kTileSize_px) * choice.constant("channel_groups");
  return conv_launch(context, {.width = groups_x * choice.group_size.x,
                               .rows = divide_up(u32(out.height_px), tiles_y * kTileSize_px)});
}

}  // namespace upres::kernels
