#include <fmt/format.h>

#include <algorithm>

#include "plan/blocks.h"
#include "plan/resampled_window.h"
#include "plan/tiles.h"

namespace upres::plan {
namespace {

// Whole sizes of an axis that the graph resamples; 0 where it does not.
struct Resampled {
  int64_t x = 0;
  int64_t y = 0;
};

Resampled resampled_sizes(const graph::Graph& graph) {
  Resampled sizes;
  for (const graph::Node& node : graph.nodes()) {
    if (const auto* resample = std::get_if<graph::Resample>(&node.op)) {
      (resample->axis == graph::Axis::x ? sizes.x : sizes.y) = resample->out_total_px;
    }
  }
  return sizes;
}

uint64_t weight_bytes(const graph::Graph& graph) { return graph::parameter_count(graph) * sizeof(float); }

// Everything between the ends that can be an image is one, in the larger type.
std::vector<kernels::Storage> all_images(const graph::Graph& graph) {
  const kernels::Storage image{kernels::Arrangement::image, DType::f32};
  std::vector<kernels::Storage> storages(graph.values().size());
  for (const graph::Node& node : graph.nodes()) {
    for (const graph::ValueId id : node.outputs) {
      const bool is_end = std::ranges::count(graph.outputs(), id) > 0;
      if (!is_end && kernels::can_store(image, graph.value(id).type)) storages[id] = image;
    }
  }
  return storages;
}

// Whether a window of some edge fits the device.
class Fitter {
 public:
  Fitter(const graph::Graph& graph, const Extent& picture, const kernels::DeviceLimits& limits, int slots,
         bool with_images)
      : graph_(graph),
        picture_(picture),
        limits_(limits),
        slots_(slots),
        images_(with_images ? all_images(graph) : std::vector<kernels::Storage>()),
        halo_(graph::receptive_field(graph)),
        resampled_(resampled_sizes(graph)) {}

  // The smallest edge that can be cut at all, and the largest that makes sense.
  [[nodiscard]] int smallest_px() const {
    const int64_t halo =
        std::max(int64_t{halo_.left_px} + halo_.right_px, int64_t{halo_.top_px} + halo_.bottom_px);
    return static_cast<int>(std::min<int64_t>(halo + kEvenRoom_px + 1, largest_px()));
  }
  [[nodiscard]] int largest_px() const { return std::max(picture_.width_px, picture_.height_px); }

  [[nodiscard]] Status fits(int edge_px) const {
    const Extent window{std::min(edge_px, picture_.width_px), std::min(edge_px, picture_.height_px)};
    const std::vector<Extent> inputs(graph_.inputs().size(), window);
    auto extents = graph::infer_extents(graph_, inputs, resampled_window_of(window));
    if (!extents) return propagate(extents);
    for (const Extent& extent : *extents) {
      if (auto status = check_group_count(extent); !status) return status;
    }
    auto blocks = assign_blocks(graph_, *extents, {}, limits_);
    if (!blocks) return propagate(blocks);
    if (auto status = check_budget(*blocks); !status || images_.empty()) return status;
    auto with_images = assign_blocks(graph_, *extents, images_, limits_);
    return with_images ? check_budget(*with_images) : propagate(with_images);
  }

 private:
  [[nodiscard]] Extent resampled_window_of(const Extent& window) const {
    const auto along = [](int in_window, int64_t input, int64_t output, int64_t halo) {
      return output == 0 ? 0 : static_cast<int>(resampled_window(in_window, input, output, halo));
    };
    return {
        along(window.width_px, picture_.width_px, resampled_.x, int64_t{halo_.left_px} + halo_.right_px),
        along(window.height_px, picture_.height_px, resampled_.y, int64_t{halo_.top_px} + halo_.bottom_px)};
  }

  // Rows are cut into several dispatches, columns are not; a group is at least one pixel wide.
  [[nodiscard]] Status check_group_count(const Extent& extent) const {
    if (static_cast<uint32_t>(extent.width_px) <= limits_.max_group_count[0]) return {};
    return fail(ErrorCode::device,
                fmt::format("a row of {} pixels is beyond the device's max_group_count of {}",
                            extent.width_px, limits_.max_group_count[0]));
  }

  [[nodiscard]] Status check_budget(const Blocks& blocks) const {
    uint64_t slot_bytes = blocks.input_bytes + blocks.output_bytes + blocks.scratch_bytes;
    for (const ImageDescription& image : blocks.images) slot_bytes += image.size_bytes();
    const uint64_t all_bytes = static_cast<uint64_t>(slots_) * slot_bytes + weight_bytes(graph_);
    if (all_bytes <= limits_.memory_budget_bytes) return {};
    return fail(ErrorCode::device,
                fmt::format("{} windows in flight need {}, beyond the memory_budget_bytes of {}", slots_,
                            bytes_text(all_bytes), limits_.memory_budget_bytes));
  }

  const graph::Graph& graph_;
  Extent picture_;
  const kernels::DeviceLimits& limits_;
  int slots_;
  std::vector<kernels::Storage> images_;  // by value; empty: there are none
  graph::Halo halo_;
  Resampled resampled_;
};

}  // namespace

Result<int> choose_tile_edge(const graph::Graph& graph, const Extent& picture,
                             const kernels::DeviceLimits& limits, int slots, bool with_images) {
  if (picture.width_px < 1 || picture.height_px < 1 || slots < 1) {
    return fail(ErrorCode::usage, fmt::format("no tiles for {}x{} pixels and {} slots", picture.width_px,
                                              picture.height_px, slots));
  }
  const Fitter fitter(graph, picture, limits, slots, with_images);
  int fitting = fitter.smallest_px();
  if (auto status = fitter.fits(fitting); !status) {
    return propagate(status, fmt::format("even a tile of {} pixels does not fit", fitting));
  }
  // What a window needs grows with its edge: bisect between one that fits and the first that does not.
  int64_t beyond = int64_t{fitter.largest_px()} + 1;
  while (beyond - fitting > 1) {
    const int middle = static_cast<int>((fitting + beyond) / 2);
    if (fitter.fits(middle)) {
      fitting = middle;
    } else {
      beyond = middle;
    }
  }
  return fitting;
}

}  // namespace upres::plan
