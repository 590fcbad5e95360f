#include "plan/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/kernel.h"
#include "kernels/resize/lanczos.h"
#include "plan/images.h"
#include "plan/memory.h"

namespace upres::plan {
namespace {

constexpr uint32_t kNever = ~uint32_t{0};

// Values as a plan sees them: when they live and to whom they belong.
struct Use {
  uint32_t first_step = kNever;
  uint32_t last_step = 0;
  bool is_input = false;
  bool is_output = false;
  bool zeroed = false;

  [[nodiscard]] bool used() const { return is_input || first_step != kNever; }
};

std::vector<Use> find_uses(const graph::Graph& graph) {
  std::vector<Use> uses(graph.values().size());
  for (const graph::ValueId id : graph.inputs()) uses[id].is_input = true;
  for (const graph::ValueId id : graph.outputs()) uses[id].is_output = true;
  uint32_t step = 0;
  for (const graph::Node& node : graph.nodes()) {
    for (const graph::ValueId id : node.inputs) uses[id].last_step = step;
    for (const graph::ValueId id : node.outputs) {
      Use& use = uses[id];
      // Statistics are gathered with atomics, so they begin as zeros, before the first step.
      use.zeroed = graph.value(id).type.layout == Layout::flat;
      use.first_step = use.zeroed ? 0 : step;
      use.last_step = std::max(use.last_step, step);
    }
    ++step;
  }
  return uses;
}

// Bytes of a tensor, unless they are beyond what the device binds. In floating point first: 2^31 x 2^31
// pixels of many channels overflow 64 bits.
Result<uint64_t> tensor_bytes(const graph::Value& value, const Extent& extent,
                              const kernels::Storage* storage, const kernels::DeviceLimits& limits) {
  const double about = 4.0 * value.type.channels * (extent.width_px + 32.0) * extent.height_px;
  const auto exact = [&] {
    return storage == nullptr ? kernels::largest_storage_bytes(value.type, extent)
                              : kernels::storage_bytes(*storage, value.type, extent);
  };
  const uint64_t bytes = about < 0x1p62 ? exact() : uint64_t{1} << 62;
  if (bytes > limits.max_storage_buffer_range_bytes) {
    return fail(
        ErrorCode::device,
        fmt::format(
            "tensor '{}' ({} channels of {}x{}) has {}, beyond the device's max_storage_buffer_range_bytes "
            "of {}: use smaller tiles",
            value.name, value.type.channels, extent.width_px, extent.height_px, bytes_text(bytes),
            limits.max_storage_buffer_range_bytes));
  }
  return bytes;
}

Status check_block(std::string_view name, uint64_t bytes, const kernels::DeviceLimits& limits) {
  if (bytes <= limits.max_buffer_bytes) return {};
  return fail(ErrorCode::device,
              fmt::format("the {} need {}, beyond the device's max_buffer_bytes of {}: use smaller "
                          "tiles",
                          name, bytes_text(bytes), limits.max_buffer_bytes));
}

// Fills Blocks one kind of memory after the other.
class Assigner {
 public:
  Assigner(const graph::Graph& graph, std::span<const Extent> extents,
           std::span<const kernels::Storage> storages, const kernels::DeviceLimits& limits)
      : graph_(graph), extents_(extents), storages_(storages), limits_(limits), uses_(find_uses(graph)) {
    blocks_.values.resize(graph.values().size());
  }

  Result<Blocks> run() {
    for (graph::ValueId id = 0; id < uses_.size(); ++id) {
      if (auto status = measure(id); !status) return propagate(status);
    }
    append_ends();
    append_tables();
    place_scratch();
    place_images();
    for (const auto& [name, bytes] : {std::pair{"inputs of a tile", blocks_.input_bytes},
                                      std::pair{"outputs of a tile", blocks_.output_bytes},
                                      std::pair{"intermediate tensors of a tile", blocks_.scratch_bytes}}) {
      if (auto status = check_block(name, bytes, limits_); !status) return propagate(status);
    }
    return std::move(blocks_);
  }

 private:
  Status measure(graph::ValueId id) {
    if (!uses_[id].used()) return {};
    const kernels::Storage* storage = storages_.empty() ? nullptr : &storages_[id];
    if (is_image(id)) return measure_image(id);
    auto bytes = tensor_bytes(graph_.value(id), extents_[id], storage, limits_);
    if (!bytes) return propagate(bytes);
    blocks_.values[id].size_bytes = *bytes;
    blocks_.values[id].zeroed = uses_[id].zeroed;
    return {};
  }

  [[nodiscard]] bool is_image(graph::ValueId id) const {
    return !storages_.empty() && storages_[id].arrangement == kernels::Arrangement::image;
  }
  [[nodiscard]] ImageDescription image_of(graph::ValueId id) const {
    return {kernels::texel_extent(graph_.value(id).type, extents_[id]), storages_[id].dtype};
  }

  Status measure_image(graph::ValueId id) {
    const ImageDescription image = image_of(id);
    if (auto status = check_image(graph_.value(id), image, limits_); !status) return status;
    blocks_.values[id] = {ResourceKind::image, 0, image.size_bytes(), false};
    return {};
  }

  Place append(ResourceKind kind, uint64_t size_bytes, uint64_t& block_bytes) const {
    const uint64_t offset = align_up(block_bytes, limits_.min_storage_buffer_offset_alignment_bytes);
    block_bytes = offset + size_bytes;
    return {kind, offset, size_bytes, false};
  }

  void append_ends() {
    for (graph::ValueId id = 0; id < uses_.size(); ++id) {
      Place& place = blocks_.values[id];
      if (uses_[id].is_input) place = append(ResourceKind::input, place.size_bytes, blocks_.input_bytes);
      if (!uses_[id].is_output || uses_[id].is_input || place.size_bytes == 0) continue;
      place = append(ResourceKind::output, place.size_bytes, blocks_.output_bytes);
      place.zeroed = uses_[id].zeroed;
    }
  }

  void append_tables() {
    uint32_t index = 0;
    for (const graph::Node& node : graph_.nodes()) {
      if (const auto* resample = std::get_if<graph::Resample>(&node.op)) {
        const Extent& out = extents_[node.outputs.front()];
        const auto samples =
            static_cast<uint64_t>(resample->axis == graph::Axis::x ? out.width_px : out.height_px);
        const uint64_t taps = kernels::resample_taps(*resample);
        TablePlaces places{index, {}, {}};
        places.first_samples = append(ResourceKind::table, samples * sizeof(int32_t), blocks_.input_bytes);
        places.weights = append(ResourceKind::table, samples * taps * sizeof(float), blocks_.input_bytes);
        blocks_.tables.push_back(places);
      }
      ++index;
    }
  }

  void place_scratch() {
    std::vector<graph::ValueId> ids;
    std::vector<Lifetime> lifetimes;
    for (graph::ValueId id = 0; id < uses_.size(); ++id) {
      const Use& use = uses_[id];
      if (use.is_input || use.is_output || !use.used() || is_image(id)) continue;
      ids.push_back(id);
      lifetimes.push_back({blocks_.values[id].size_bytes, use.first_step, use.last_step});
    }
    const Placement placement = place(lifetimes, limits_.min_storage_buffer_offset_alignment_bytes);
    for (size_t i = 0; i < ids.size(); ++i) blocks_.values[ids[i]].offset_bytes = placement.offsets_bytes[i];
    blocks_.scratch_bytes = placement.arena_bytes;
  }

  // Inputs and outputs are plain.
  void place_images() {
    std::vector<graph::ValueId> ids;
    std::vector<ImageUse> images;
    for (graph::ValueId id = 0; id < uses_.size(); ++id) {
      if (!uses_[id].used() || !is_image(id)) continue;
      ids.push_back(id);
      images.push_back({image_of(id), {0, uses_[id].first_step, uses_[id].last_step}});
    }
    ImagePlaces places = plan::place_images(images);
    for (size_t i = 0; i < ids.size(); ++i) blocks_.values[ids[i]].image = places.image_of[i];
    blocks_.images = std::move(places.images);
  }

  const graph::Graph& graph_;
  std::span<const Extent> extents_;
  std::span<const kernels::Storage> storages_;
  const kernels::DeviceLimits& limits_;
  std::vector<Use> uses_;
  Blocks blocks_;
};

}  // namespace

Result<Blocks> assign_blocks(const graph::Graph& graph, std::span<const Extent> extents,
                             std::span<const kernels::Storage> storages,
                             const kernels::DeviceLimits& limits) {
  return Assigner(graph, extents, storages, limits).run();
}

std::string bytes_text(uint64_t bytes) {
  return fmt::format("{} bytes ({:.1f} MiB)", bytes, static_cast<double>(bytes) / (1 << 20));
}

}  // namespace upres::plan
