#include "kernels/conv/conv_pair.h"

#include <algorithm>
#include <array>

#include "base/half.h"
#include "graph/extents.h"
#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array kPushFields = {UPRES_PUSH_FIELD(ConvPairPush, row_begin),
                                    UPRES_PUSH_FIELD(ConvPairPush, row_end),
                                    UPRES_PUSH_FIELD(ConvPairPush, in_width),
                                    UPRES_PUSH_FIELD(ConvPairPush, in_height),
                                    UPRES_PUSH_FIELD(ConvPairPush, mid_width),
                                    UPRES_PUSH_FIELD(ConvPairPush, mid_height),
                                    UPRES_PUSH_FIELD(ConvPairPush, out_width),
                                    UPRES_PUSH_FIELD(ConvPairPush, out_height),
                                    UPRES_PUSH_FIELD(ConvPairPush, first_padding_left),
                                    UPRES_PUSH_FIELD(ConvPairPush, first_padding_top),
                                    UPRES_PUSH_FIELD(ConvPairPush, second_padding_left),
                                    UPRES_PUSH_FIELD(ConvPairPush, second_padding_top)};

constexpr std::array<uint32_t, 2> kFragments = {2, 1};
constexpr std::array<uint32_t, 3> kPixelSubgroups = {1, 2, 4};
// Of all groups together: as many as the device holds at once.
constexpr std::array<uint32_t, 5> kPersistentSubgroups = {1056, 528, 2112, 264, 64};
constexpr std::array kTunables = {Tunable{"fragments_x", kFragments},
                                  Tunable{"pixel_subgroups", kPixelSubgroups},
                                  Tunable{"persistent_subgroups", kPersistentSubgroups}};

constexpr int kSecondSize = 3;
constexpr uint32_t kHalo = kSecondSize - 1;
constexpr int kMostPlanes = 16;  // of the second convolution behind another

// Shapes of the modules in shaders/CMakeLists.txt.
struct Shape {
  bool is_front = false;  // else the second convolution is the one of few channels
  int in_channels = 0;
  int first_size = 0;
  int mid_channels = 0;
  int out_channels = 0;
};
constexpr std::array kShapes = {Shape{true, 1, 5, 64, 64}, Shape{true, 1, 3, 64, 64},
                                Shape{true, 3, 3, 64, 64}, Shape{false, 64, 3, 32, kMostPlanes},
                                Shape{false, 32, 3, 32, kMostPlanes}};

bool is_shape(const graph::ConvPair& pair, const Shape& shape) {
  const auto is_square = [](const graph::Conv& conv, int size) {
    return conv.kernel_width == size && conv.kernel_height == size;
  };
  const graph::Conv& second = pair.second;
  const bool out_fits = shape.is_front
                            ? second.out_channels == shape.out_channels && second.shuffle.block == 1
                            : second.out_channels <= shape.out_channels;
  return out_fits && is_square(pair.first, shape.first_size) && is_square(second, kSecondSize) &&
         pair.first.in_channels == shape.in_channels && pair.first.out_channels == shape.mid_channels;
}

const Shape* find_shape(const graph::Node& node) {
  const auto* pair = std::get_if<graph::ConvPair>(&node.op);
  if (pair == nullptr) return nullptr;
  const auto found =
      std::ranges::find_if(kShapes, [&](const Shape& shape) { return is_shape(*pair, shape); });
  return found == kShapes.end() ? nullptr : &*found;
}

// A shape with the values of the tunables.
struct Tile {
  const Shape& shape;
  uint32_t fragments_x = 1;
  uint32_t pixel_subgroups = 1;
  uint32_t persistent_subgroups = 1;

  [[nodiscard]] uint32_t subgroups() const {
    return u32(shape.is_front ? shape.out_channels : shape.mid_channels) / kFragment * pixel_subgroups;
  }
  [[nodiscard]] uint32_t groups() const { return std::max(1U, persistent_subgroups / subgroups()); }
  [[nodiscard]] uint32_t fragments() const { return fragments_x * pixel_subgroups; }
  [[nodiscard]] uint32_t strip_px() const { return kFragment * fragments(); }
  [[nodiscard]] uint32_t shared_memory_bytes() const { return shape.is_front ? front_bytes() : back_bytes(); }
  // The second convolution's sums are shared out evenly.
  [[nodiscard]] bool is_even() const {
    return shape.is_front || fragments() * u32(shape.mid_channels) / kFragment % subgroups() == 0;
  }

 private:
  static constexpr uint32_t kWordBytes = 16;
  static constexpr uint32_t kBufferedRows = 3;

  static uint32_t pixel_words(int channels) { return u32(channels) / 8 + 1; }

  [[nodiscard]] uint32_t front_bytes() const {
    constexpr uint32_t kRingRows = 8;
    const uint32_t mid_px = divide_up(strip_px() + kHalo, kFragment) * kFragment;
    const uint32_t slices =
        divide_up(u32(shape.in_channels * shape.first_size * shape.first_size) + 2, kFragment);
    const uint32_t plane_px = strip_px() + kHalo + u32(shape.first_size) - 1;
    const uint32_t planes = u32(shape.in_channels) * kRingRows * plane_px * 2;
    return planes +
           mid_px * kWordBytes * (2 * (2 * slices + 1) + kBufferedRows * pixel_words(shape.mid_channels));
  }

  [[nodiscard]] uint32_t back_bytes() const {
    constexpr uint32_t kSlots = 2;
    const uint32_t row_px = strip_px() + kHalo;
    const uint32_t slices = u32(shape.mid_channels) / kFragment;
    const uint32_t rows =
        row_px * kWordBytes *
        (kBufferedRows * pixel_words(shape.in_channels) + kSlots * pixel_words(shape.mid_channels));
    constexpr uint32_t kElements = kFragment * kFragment;
    return rows + kSecondSize * kSecondSize * slices * kElements * 2 +
           kSlots * fragments() * slices * kElements * 4;
  }
};

Tile tuned_tile(const Kernel& kernel, const Shape& shape, std::span<const Tuning> tuning) {
  const auto complete = complete_tuning(kernel, tuning);
  return {shape, complete[0].value, complete[1].value, complete[2].value};
}

std::string module_variant(const Tile& tile) {
  const Shape& shape = tile.shape;
  const std::string in = std::to_string(shape.in_channels);
  const std::string mid = std::to_string(shape.mid_channels);
  const std::string size = std::to_string(shape.first_size);
  const std::string ends = shape.is_front ? "front_" + in + "_" + size + "x" + size + "_" + mid + "_" +
                                                std::to_string(shape.out_channels)
                                          : "back_" + in + "_" + mid;
  return ends + "_" + std::to_string(tile.fragments_x) + "x" + std::to_string(tile.pixel_subgroups);
}

// Biases as two rows of weights: rounded to half, and the rest.
std::vector<std::vector<float>> bias_rows(const graph::Conv& conv) {
  std::vector<std::vector<float>> rows(2);
  for (const float bias : *conv.biases) {
    const float rounded = half_to_float(float_to_half(bias));
    rows[0].push_back(rounded);
    rows[1].push_back(bias - rounded);
  }
  return rows;
}

}  // namespace

std::string_view ConvPair::summary() const {
  return "two convolutions at once on cooperative matrices, what lies between them in shared memory";
}

std::span<const Tunable> ConvPair::tunables() const { return kTunables; }

bool ConvPair::computes(const graph::Graph&, const graph::Node& node) const {
  return find_shape(node) != nullptr;
}

std::vector<Storage> ConvPair::reads(const graph::Graph&, const graph::Node& node, DType) const {
  return {find_shape(node)->is_front ? Storage{} : kPixelMajorHalf};
}

std::vector<Storage> ConvPair::writes(const graph::Graph&, const graph::Node& node, DType) const {
  return {find_shape(node)->is_front ? kPixelMajorHalf : Storage{}};
}

Status ConvPair::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                       const Selection& selection) const {
  const Tile tile = tuned_tile(*this, *find_shape(node), selection.tuning);
  if (!tile.is_even())
    return fail(ErrorCode::device,
                "kernel conv_pair: the subgroups would not have equal shares of the pixels");
  return check_matrices(id(), tile.subgroups(), tile.shared_memory_bytes(), device);
}

KernelChoice ConvPair::choose(const graph::Graph&, const graph::Node& node,
                              const Selection& selection) const {
  const auto& pair = std::get<graph::ConvPair>(node.op);
  const Tile tile = tuned_tile(*this, *find_shape(node), selection.tuning);
  std::vector<Constant> constants = {{"first_relu", pair.first.apply_relu},
                                     {"second_relu", pair.second.apply_relu},
                                     {"persistent_groups", tile.groups()}};
  if (!tile.shape.is_front) {
    constants.push_back({"out_channels", u32(pair.second.out_channels)});
    std::ranges::copy(shuffle_constants(pair.second), std::back_inserter(constants));
  }
  return {.kernel = id(),
          .variant = module_variant(tile),
          .constants = std::move(constants),
          .group_size = {kMatrixSubgroupSize, tile.subgroups(), 1},
          .dtype = DType::f16,
          .input = selection.input,
          .output = selection.output};
}

BindingNames ConvPair::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"}, .outputs = {"output"}, .constant_data = {"weights", "biases"}};
}

// Of the first convolution, then of the second.
std::vector<std::vector<std::byte>> ConvPair::pack_constant_data(const graph::Graph&, const graph::Node& node,
                                                                 const KernelChoice&) const {
  const auto& [first, second] = std::get<graph::ConvPair>(node.op);
  const bool is_front = find_shape(node)->is_front;
  std::vector<std::byte> weights = is_front
                                       ? pack_weight_fragments(first, planar_samples(first), bias_rows(first))
                                       : pack_weight_fragments(first, pixel_major_samples(first));
  std::ranges::copy(pack_weight_fragments(second, pixel_major_samples(second)), std::back_inserter(weights));
  std::vector<std::byte> biases = is_front ? std::vector<std::byte>() : pack_biases(first, kFragment);
  std::ranges::copy(pack_biases(second, kFragment), std::back_inserter(biases));
  return {std::move(weights), std::move(biases)};
}

std::span<const PushField> ConvPair::push_fields() const { return kPushFields; }

Launch ConvPair::launch(const LaunchContext& context) const {
  const auto& pair = std::get<graph::ConvPair>(context.node.op);
  const Extent& in = input_extent(context);
  const Extent mid = graph::convolved_extent(pair.first, in);
  const Extent& shuffled = output_extent(context);
  const int block = pair.second.shuffle.block;
  const uint32_t rows = u32(shuffled.height_px / block);
  const ConvPairPush push = {.row_begin = 0,
                             .row_end = rows,
                             .in_width = u32(in.width_px),
                             .in_height = u32(in.height_px),
                             .mid_width = u32(mid.width_px),
                             .mid_height = u32(mid.height_px),
                             .out_width = u32(shuffled.width_px / block),
                             .out_height = rows,
                             .first_padding_left = pair.first.padding.left,
                             .first_padding_top = pair.first.padding.top,
                             .second_padding_left = pair.second.padding.left,
                             .second_padding_top = pair.second.padding.top};
  const uint32_t groups = context.choice.constant("persistent_groups");
  return {.grid = {.width = groups * kMatrixSubgroupSize, .rows = rows, .persistent = true},
          .push = push_bytes(push)};
}

}  // namespace upres::kernels
