#include "tune/task.h"

#include <algorithm>
#include <array>

#include "graph/extents.h"
#include "graph/passes/passes.h"

namespace upres::tune {
namespace {

graph::Graph alone(const graph::Graph& network, const graph::Node& node) {
  graph::Graph graph;
  const auto copy = [&](graph::ValueId id) {
    return graph.add_value(network.value(id).name, network.value(id).type);
  };
  const graph::ValueId input = copy(node.inputs.front());
  const graph::ValueId output = copy(node.outputs.front());
  graph.add_input(input);
  graph.add_output(output);
  graph::Node single = node;
  single.inputs = {input};
  single.outputs = {output};
  graph.add_node(std::move(single));
  return graph;
}

bool same_shape(const graph::Conv& a, const graph::Conv& b) {
  return a.in_channels == b.in_channels && a.out_channels == b.out_channels &&
         a.kernel_width == b.kernel_width && a.kernel_height == b.kernel_height && a.padding == b.padding &&
         a.apply_relu == b.apply_relu && a.shuffle == b.shuffle;
}

bool same_shape(const graph::Operator& a, const graph::Operator& b) {
  return std::ranges::equal(graph::convolutions(a), graph::convolutions(b),
                            [](const graph::Conv* x, const graph::Conv* y) { return same_shape(*x, *y); });
}

// The network as it is, with shuffles in its convolutions, and with pairs of those.
std::vector<graph::Graph> as_plans_fuse(const graph::Graph& network) {
  const auto is_wanted = [](const graph::Graph& graph, const graph::Node& node) {
    return std::ranges::any_of(kernels::all_kernels(),
                               [&](const auto* kernel) { return kernel->computes(graph, node); });
  };
  std::vector<graph::Graph> graphs = {network};
  graph::Graph fused = network;
  if (graph::fuse_shuffle_into_conv(fused, is_wanted) == graph::PassStatus::changed) graphs.push_back(fused);
  if (graph::fuse_conv_pairs(fused, is_wanted) == graph::PassStatus::changed) graphs.push_back(fused);
  return graphs;
}

// Adds the tasks of a network that are not there yet.
class TaskMaker {
 public:
  TaskMaker(const Extent& size, DType dtype, const kernels::DeviceInfo& device,
            std::span<const std::string> only)
      : size_(size), dtype_(dtype), device_(device), only_(only) {}

  Status add(const graph::Graph& network) {
    const auto extents = graph::infer_extents(network, std::array{size_});
    if (!extents) return tl::unexpected(extents.error());
    for (const graph::Node& node : network.nodes()) {
      if (graph::convolutions(node.op).empty()) continue;
      for (const kernels::Kernel* kernel : kernels::all_kernels()) {
        if (is_wanted(*kernel, network, node) && !is_known(*kernel, node))
          add_task(*kernel, network, node, (*extents)[node.inputs.front()]);
      }
    }
    return {};
  }
  std::vector<Task> take() { return std::move(tasks_); }

 private:
  [[nodiscard]] bool is_wanted(const kernels::Kernel& kernel, const graph::Graph& network,
                               const graph::Node& node) const {
    const bool is_named = only_.empty() || std::ranges::find(only_, kernel.id()) != only_.end();
    return is_named && kernels::has_dtype(kernel, dtype_) && kernel.computes(network, node) &&
           kernel.legal(network, node, device_, {.dtype = dtype_});
  }
  [[nodiscard]] bool is_known(const kernels::Kernel& kernel, const graph::Node& node) const {
    return std::ranges::any_of(tasks_, [&](const Task& task) {
      return task.kernel == &kernel && same_shape(task.node().op, node.op);
    });
  }
  void add_task(const kernels::Kernel& kernel, const graph::Graph& network, const graph::Node& node,
                const Extent& extent) {
    tasks_.push_back({&kernel, alone(network, node), extent, dtype_,
                      kernel.reads(network, node, dtype_).front(),
                      kernel.writes(network, node, dtype_).front()});
  }

  Extent size_;
  DType dtype_;
  const kernels::DeviceInfo& device_;
  std::span<const std::string> only_;
  std::vector<Task> tasks_;
};

}  // namespace

uint64_t Task::flops() const {
  const auto extents = graph::infer_extents(graph, std::array{extent});
  return extents ? graph::flops(node(), (*extents)[node().outputs.front()]) : 0;
}

std::string to_text(const Task& task) {
  return kernels::shape_text(task.node(), task.dtype) + " on " + std::to_string(task.extent.width_px) + "x" +
         std::to_string(task.extent.height_px);
}

Result<std::vector<Task>> make_tasks(const graph::Graph& network, const Extent& size, DType dtype,
                                     const kernels::DeviceInfo& device,
                                     const std::vector<std::string>& only) {
  TaskMaker maker(size, dtype, device, only);
  for (const graph::Graph& graph : as_plans_fuse(network)) {
    if (auto status = maker.add(graph); !status) return propagate(status);
  }
  return maker.take();
}

}  // namespace upres::tune
