#include "kernels/conv/conv_rows.h"

#include <algorithm>
#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

// Channels of the modules in shaders/CMakeLists.txt; where they write planes, 16 stands for every number up
// to it.
struct Channels {
  int in = 0;
  int out = 0;
  bool to_planes = false;
};
constexpr std::array kChannels = {Channels{64, 64, false}, Channels{64, 32, false}, Channels{32, 64, false},
                                  Channels{32, 32, false}, Channels{64, 16, true},  Channels{32, 16, true}};

constexpr std::array<uint32_t, 2> kFragments = {2, 1};
constexpr std::array<uint32_t, 3> kPixelSubgroups = {1, 2, 4};
// Of all groups together: as many as the device holds at once.
constexpr std::array<uint32_t, 7> kPersistentSubgroups = {1056, 528, 792, 1584, 2112, 264, 64};
constexpr std::array kTunables = {Tunable{"fragments_x", kFragments},
                                  Tunable{"pixel_subgroups", kPixelSubgroups},
                                  Tunable{"persistent_subgroups", kPersistentSubgroups}};

struct Shape {
  Channels channels;
  uint32_t fragments_x = 1;
  uint32_t pixel_subgroups = 1;
  uint32_t persistent_subgroups = 1;

  [[nodiscard]] uint32_t subgroups() const { return u32(channels.out) / kFragment * pixel_subgroups; }
  [[nodiscard]] uint32_t groups() const { return std::max(1U, persistent_subgroups / subgroups()); }
  [[nodiscard]] uint32_t strip_px() const { return kFragment * fragments_x * pixel_subgroups; }
  [[nodiscard]] uint32_t shared_memory_bytes() const {
    constexpr uint32_t kBufferedRows = 3;
    const uint32_t rows = kBufferedRows * (strip_px() + 2) * (u32(channels.in) / 8 + 1) * 16;
    return rows + (channels.to_planes ? subgroups() * kFragment * kFragment * 4 : 0);
  }
};

const Channels* find_channels(const graph::Conv& conv, bool to_planes) {
  const auto found = std::find_if(kChannels.begin(), kChannels.end(), [&](const Channels& channels) {
    const bool out_fits = to_planes ? conv.out_channels <= channels.out
                                    : conv.out_channels == channels.out && conv.shuffle.block == 1;
    return channels.to_planes == to_planes && channels.in == conv.in_channels && out_fits;
  });
  return found == kChannels.end() ? nullptr : &*found;
}

Shape tuned_shape(const Kernel& kernel, const Channels& channels, std::span<const Tuning> tuning) {
  const auto complete = complete_tuning(kernel, tuning);
  return {channels, complete[0].value, complete[1].value, complete[2].value};
}

std::string module_variant(const Shape& shape) {
  const Channels& channels = shape.channels;
  return std::to_string(channels.in) + "_" + (channels.to_planes ? "planes" : std::to_string(channels.out)) +
         "_" + std::to_string(shape.fragments_x) + "x" + std::to_string(shape.pixel_subgroups);
}

}  // namespace

std::string_view ConvRows::summary() const {
  return "3x3 convolution on cooperative matrices, weights in registers, groups that roll down the rows";
}

std::span<const Tunable> ConvRows::tunables() const { return kTunables; }

bool ConvRows::computes(const graph::Graph&, const graph::Node& node) const {
  const auto* conv = std::get_if<graph::Conv>(&node.op);
  return conv != nullptr && conv->kernel_width == 3 && conv->kernel_height == 3 &&
         (find_channels(*conv, false) != nullptr || find_channels(*conv, true) != nullptr);
}

std::vector<Storage> ConvRows::reads(const graph::Graph&, const graph::Node&, DType) const {
  return {kPixelMajorHalf};
}

std::vector<Storage> ConvRows::writes(const graph::Graph&, const graph::Node& node, DType) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  std::vector<Storage> storages;
  if (find_channels(conv, false) != nullptr) storages.push_back(kPixelMajorHalf);
  if (find_channels(conv, true) != nullptr) storages.emplace_back();
  return storages;
}

Status ConvRows::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                       const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  for (const bool to_planes : {false, true}) {
    const Channels* channels = find_channels(conv, to_planes);
    if (channels == nullptr) continue;
    const Shape shape = tuned_shape(*this, *channels, selection.tuning);
    auto status = check_matrices(id(), shape.subgroups(), shape.shared_memory_bytes(), device);
    if (!status) return status;
  }
  return {};
}

KernelChoice ConvRows::choose(const graph::Graph&, const graph::Node& node,
                              const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  const Channels& channels = *find_channels(conv, selection.output.arrangement == Arrangement::plain);
  const Shape shape = tuned_shape(*this, channels, selection.tuning);
  std::vector<Constant> constants = {{"apply_relu", conv.apply_relu},
                                     {"out_channels", u32(conv.out_channels)},
                                     {"persistent_groups", shape.groups()}};
  if (channels.to_planes) std::ranges::copy(shuffle_constants(conv), std::back_inserter(constants));
  return {.kernel = id(),
          .variant = module_variant(shape),
          .constants = std::move(constants),
          .group_size = {kMatrixSubgroupSize, shape.subgroups(), 1},
          .dtype = DType::f16,
          .input = selection.input,
          .output = selection.output};
}

std::vector<std::vector<std::byte>> ConvRows::pack_constant_data(const graph::Graph&, const graph::Node& node,
                                                                 const KernelChoice&) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {pack_weight_fragments(conv, pixel_major_samples(conv)), pack_biases(conv, kFragment)};
}

Launch ConvRows::launch(const LaunchContext& context) const {
  const uint32_t groups = context.choice.constant("persistent_groups");
  return conv_launch(context, {.width = groups * kMatrixSubgroupSize,
                               .rows = u32(convolved_extent(context).height_px),
                               .persistent = true});
}

}  // namespace upres::kernels
