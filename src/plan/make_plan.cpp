#include <fmt/format.h>

#include <algorithm>

#include "graph/extents.h"
#include "plan/blocks.h"
#include "plan/plan.h"
#include "plan/weights.h"

namespace upres::plan {
namespace {

// Which bytes have been touched since the last barrier. Exact: by ranges of bytes and by images, so tensors
// that share memory at different times count as what they are.
class HazardTracker {
 public:
  // Whether a step must wait for an earlier one since the last barrier. Notes what it touches.
  bool must_wait(const std::vector<const Resource*>& reads, const std::vector<const Resource*>& writes) {
    const bool waits =
        any_overlap(reads, written_) || any_overlap(writes, written_) || any_overlap(writes, read_);
    if (waits) {
      read_.clear();
      written_.clear();
    }
    read_.insert(read_.end(), reads.begin(), reads.end());
    written_.insert(written_.end(), writes.begin(), writes.end());
    return waits;
  }

 private:
  using Touched = std::vector<const Resource*>;

  static bool overlap(const Resource& a, const Resource& b) {
    if (a.kind != b.kind) return false;
    if (a.kind == ResourceKind::image) return a.image == b.image;
    return a.offset_bytes < b.offset_bytes + b.size_bytes && b.offset_bytes < a.offset_bytes + a.size_bytes;
  }
  static bool any_overlap(const Touched& now, const Touched& before) {
    return std::any_of(now.begin(), now.end(), [&](const Resource* a) {
      return std::any_of(before.begin(), before.end(), [&](const Resource* b) { return overlap(*a, *b); });
    });
  }

  Touched read_;
  Touched written_;
};

uint64_t groups(uint32_t count, uint32_t size) { return (uint64_t{count} + size - 1) / size; }

// Rows are cut to fit; columns and depth must fit as they are.
Status check_grid(const kernels::Grid& grid, const kernels::GroupSize& size,
                  const kernels::DeviceLimits& limits) {
  for (const auto& [axis, count, along, limit] :
       {std::tuple{'x', grid.width, size.x, limits.max_group_count[0]},
        std::tuple{'z', grid.depth, size.z, limits.max_group_count[2]}}) {
    if (groups(count, along) <= limit) continue;
    return fail(ErrorCode::device,
                fmt::format("{} groups in {} are beyond the device's max_group_count of {}: use smaller "
                            "tiles",
                            groups(count, along), axis, limit));
  }
  return {};
}

Status check_step(const Step& step, const kernels::DeviceLimits& limits) {
  const kernels::GroupSize& size = step.choice.group_size;
  if (size.x == 0 || size.y == 0 || size.z == 0 || step.push.size() < sizeof(kernels::RowRange)) {
    return fail(ErrorCode::device,
                fmt::format("kernel {} gives no group size or no row range", step.choice.kernel));
  }
  if (step.push.size() > limits.max_push_constant_bytes) {
    return fail(ErrorCode::device, fmt::format("{} bytes of push constants are beyond the device's "
                                               "max_push_constant_bytes of {}",
                                               step.push.size(), limits.max_push_constant_bytes));
  }
  return check_grid(step.grid, size, limits);
}

class Planner {
 public:
  Planner(std::shared_ptr<const ChosenGraph> chosen, std::vector<Extent> extents, Blocks blocks)
      : blocks_(std::move(blocks)), weights_(layout_weights(*chosen)) {
    plan_.chosen = std::move(chosen);
    plan_.extents = std::move(extents);
  }

  Result<Plan> run() {
    plan_.input_bytes = blocks_.input_bytes;
    plan_.output_bytes = blocks_.output_bytes;
    plan_.scratch_bytes = blocks_.scratch_bytes;
    plan_.images = blocks_.images;
    plan_.weights_bytes = weights_.total_bytes;
    add_value_resources();
    for (uint32_t i = 0; i < graph().nodes().size(); ++i) {
      if (auto status = add_step(i); !status)
        return propagate(status, fmt::format("while planning node {}", node(i).name));
    }
    mark_barriers();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const graph::Graph& graph() const { return plan_.chosen->graph; }
  [[nodiscard]] const graph::Node& node(uint32_t index) const { return graph().nodes()[index]; }

  uint32_t add_resource(std::string name, const Place& place) {
    plan_.resources.push_back(
        {std::move(name), place.kind, place.offset_bytes, place.size_bytes, place.zeroed, place.image});
    return static_cast<uint32_t>(plan_.resources.size() - 1);
  }

  void add_value_resources() {
    resource_of_.resize(graph().values().size());
    for (graph::ValueId id = 0; id < resource_of_.size(); ++id) {
      if (blocks_.values[id].size_bytes == 0) continue;
      resource_of_[id] = add_resource(graph().value(id).name, blocks_.values[id]);
    }
    for (const graph::ValueId id : graph().inputs()) plan_.inputs.push_back(resource_of_[id]);
    for (const graph::ValueId id : graph().outputs()) plan_.outputs.push_back(resource_of_[id]);
  }

  Status add_step(uint32_t index) {
    const ChosenNode& chosen = plan_.chosen->nodes[index];
    const kernels::Launch launch =
        chosen.kernel->launch({graph(), node(index), plan_.extents, chosen.choice});
    Step step;
    step.node = node(index).name;
    step.node_index = index;
    step.choice = chosen.choice;
    step.grid = launch.grid;
    step.push = launch.push;
    step.flops = graph::flops(node(index), plan_.extents[node(index).outputs.front()]);
    if (auto status = check_step(step, plan_.chosen->device.limits); !status) return status;
    if (auto status = bind(index, chosen, step); !status) return status;
    plan_.steps.push_back(std::move(step));
    return {};
  }

  Status bind(uint32_t index, const ChosenNode& chosen, Step& step) {
    const graph::Node& here = node(index);
    const kernels::BindingNames names = chosen.kernel->bindings(graph(), here);
    if (names.inputs.size() != here.inputs.size() || names.outputs.size() != here.outputs.size() ||
        names.constant_data.size() != chosen.constant_data.size()) {
      return fail(ErrorCode::device,
                  fmt::format("kernel {} binds {} inputs, {} outputs and {} constants, the node has {}, "
                              "{} and {}",
                              step.choice.kernel, names.inputs.size(), names.outputs.size(),
                              names.constant_data.size(), here.inputs.size(), here.outputs.size(),
                              chosen.constant_data.size()));
    }
    for (size_t i = 0; i < names.inputs.size(); ++i)
      add_binding(step, names.inputs[i], resource_of_[here.inputs[i]]);
    for (size_t i = 0; i < names.outputs.size(); ++i)
      add_binding(step, names.outputs[i], resource_of_[here.outputs[i]]);
    if (auto status = bind_constants(index, names, step); !status) return status;
    return bind_tables(index, names, step);
  }

  void add_binding(Step& step, std::string_view name, uint32_t resource) {
    step.bindings.push_back({name, resource});
    step.bytes += plan_.resources[resource].size_bytes;
  }

  Status bind_constants(uint32_t index, const kernels::BindingNames& names, Step& step) {
    const ChosenNode& chosen = plan_.chosen->nodes[index];
    const uint64_t limit = plan_.chosen->device.limits.max_storage_buffer_range_bytes;
    for (size_t i = 0; i < names.constant_data.size(); ++i) {
      const uint64_t size_bytes = chosen.constant_data[i].size();
      if (size_bytes > limit) {
        return fail(ErrorCode::device,
                    fmt::format("its {} have {}, beyond the device's max_storage_buffer_range_bytes of {}",
                                names.constant_data[i], bytes_text(size_bytes), limit));
      }
      const Place place{ResourceKind::weights, weights_.offsets_bytes[index][i], size_bytes, false};
      add_binding(step, names.constant_data[i],
                  add_resource(fmt::format("{}.{}", node(index).name, names.constant_data[i]), place));
    }
    return {};
  }

  Status bind_tables(uint32_t index, const kernels::BindingNames& names, Step& step) {
    const auto table = std::find_if(blocks_.tables.begin(), blocks_.tables.end(),
                                    [&](const TablePlaces& places) { return places.node_index == index; });
    for (const std::string_view name : names.tables) {
      const bool known = table != blocks_.tables.end() && (name == kFirstSamples || name == kTapWeights);
      if (!known) {
        return fail(ErrorCode::device,
                    fmt::format("kernel {} wants an unknown table '{}'", step.choice.kernel, name));
      }
      const Place& place = name == kFirstSamples ? table->first_samples : table->weights;
      add_binding(step, name, add_resource(fmt::format("{}.{}", node(index).name, name), place));
    }
    return {};
  }

  void mark_barriers() {
    HazardTracker hazards;
    for (Step& step : plan_.steps) {
      const graph::Node& here = node(step.node_index);
      std::vector<const Resource*> reads;
      std::vector<const Resource*> writes;
      for (const graph::ValueId id : here.inputs) reads.push_back(&plan_.resources[resource_of_[id]]);
      for (const graph::ValueId id : here.outputs) writes.push_back(&plan_.resources[resource_of_[id]]);
      step.barrier_before = hazards.must_wait(reads, writes);
    }
  }

  Plan plan_;
  Blocks blocks_;
  WeightLayout weights_;
  std::vector<uint32_t> resource_of_;  // by ValueId
};

Status check_weights(const ChosenGraph& chosen) {
  const uint64_t bytes = layout_weights(chosen).total_bytes;
  if (bytes <= chosen.device.limits.max_buffer_bytes) return {};
  return fail(ErrorCode::device,
              fmt::format("the weights have {}, beyond the device's max_buffer_bytes of {}",
                          bytes_text(bytes), chosen.device.limits.max_buffer_bytes));
}

}  // namespace

Result<Plan> make_plan(std::shared_ptr<const ChosenGraph> chosen, std::span<const Extent> inputs,
                       const Extent& resampled) {
  auto extents = graph::infer_extents(chosen->graph, inputs, resampled);
  if (!extents) return propagate(extents);
  if (auto status = check_weights(*chosen); !status) return propagate(status);
  auto blocks = assign_blocks(chosen->graph, *extents, chosen->storages, chosen->device.limits);
  if (!blocks) return propagate(blocks);
  return Planner(std::move(chosen), std::move(*extents), std::move(*blocks)).run();
}

}  // namespace upres::plan
