#include "tune/task.h"

#include <algorithm>
#include <array>

#include "graph/extents.h"

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
         a.apply_relu == b.apply_relu;
}

}  // namespace

std::string to_text(const Task& task) {
  return kernels::shape_text(task.node(), task.dtype) + " on " + std::to_string(task.extent.width_px) + "x" +
         std::to_string(task.extent.height_px);
}

Result<std::vector<Task>> make_tasks(const graph::Graph& network, const Extent& size, DType dtype,
                                     const kernels::DeviceInfo& device,
                                     const std::vector<std::string>& only) {
  const auto extents = graph::infer_extents(network, std::array{size});
  if (!extents) return tl::unexpected(extents.error());
  std::vector<Task> tasks;
  for (const graph::Node& node : network.nodes()) {
    const auto* conv = std::get_if<graph::Conv>(&node.op);
    if (conv == nullptr) continue;
    for (const kernels::Kernel* kernel : kernels::all_kernels()) {
      const bool is_wanted = only.empty() || std::find(only.begin(), only.end(), kernel->id()) != only.end();
      if (!is_wanted || !kernels::has_dtype(*kernel, dtype) || !kernel->computes(network, node)) continue;
      if (!kernel->legal(network, node, device, {.dtype = dtype})) continue;
      const bool is_known = std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
        return task.kernel == kernel && same_shape(task.conv(), *conv);
      });
      if (is_known) continue;
      tasks.push_back({kernel, alone(network, node), (*extents)[node.inputs.front()], dtype,
                       kernel->reads(network, node, dtype).front(),
                       kernel->writes(network, node, dtype).front()});
    }
  }
  return tasks;
}

}  // namespace upres::tune
