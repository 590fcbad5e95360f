// What there is to tune: one kernel on one convolution of a network, at the size at which it runs there.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"
#include "kernels/kernel.h"
#include "plan/plan.h"

namespace upres::tune {

// Of the largest input that is measured, each side.
inline constexpr int kMostSide_px = 1 << 16;

struct Task {
  const kernels::Kernel* kernel = nullptr;
  graph::Graph graph;  // the node alone
  Extent extent;       // of its input
  DType dtype = DType::f32;
  // Where candidates may differ in the storage (kernels::kStorageTunable): in buffers.
  kernels::Storage input;
  kernels::Storage output;

  [[nodiscard]] const graph::Node& node() const { return graph.nodes().front(); }
  // Of one launch; a multiply and an add count as two.
  [[nodiscard]] uint64_t flops() const;
  [[nodiscard]] kernels::Selection selection(std::span<const kernels::Tuning> tuning) const {
    return {tuning, dtype, kernels::tuned_storage(input, tuning), kernels::tuned_storage(output, tuning)};
  }
};

// "64->32 3x3 fp16 on 1280x720"
std::string to_text(const Task& task);
// The same with kernel, padding, ReLU and storages: whatever a time depends on.
std::string exact_text(const Task& task);

// A convolution or a pair alone. op: weights and biases may be missing; random ones take their place. Its
// input lies in the storage that the kernel likes best, and its output. Errors: usage (the kernel does not
// compute it in this type).
Result<Task> make_task(const kernels::Kernel& kernel, graph::Operator op, const Extent& extent, DType dtype);

// A task for every kind of convolution of the network, as plans fuse it (in pairs, with a pixel shuffle) and
// as it is (those of one kernels::shape_text count once), and every kernel that computes it in this type on
// the device, in the storage that the kernel likes best. size: of the network's input. only: ids of kernels;
// empty: all. Errors: model (a size that the network cannot do).
Result<std::vector<Task>> make_tasks(const graph::Graph& network, const Extent& size, DType dtype,
                                     const kernels::DeviceInfo& device, const std::vector<std::string>& only);

// The same for the convolutions of usual networks that enlarge pictures, whatever the model at hand.
std::vector<Task> standard_tasks(const Extent& size, DType dtype, const kernels::DeviceInfo& device,
                                 const std::vector<std::string>& only);

// The convolutions of a network as a device runs them: a task for each kind, with the kernels and storages
// that were chosen. extent: of all inputs; networks that enlarge do so at their end. Most work first.
std::vector<Task> chosen_tasks(const plan::ChosenGraph& chosen, const Extent& extent);

}  // namespace upres::tune
