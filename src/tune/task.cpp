#include "tune/task.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <utility>

#include "graph/extents.h"

namespace upres::tune {
namespace {

// The same each time: what the weights are does not matter, but NaN and zeros could be faster or slower.
graph::Weights random_weights(size_t count, float scale) {
  std::vector<float> values(count);
  std::mt19937 engine(1);
  for (float& value : values) value = scale * (static_cast<float>(engine() >> 8U) * 0x1p-23F - 1);
  return std::make_shared<const std::vector<float>>(std::move(values));
}

void fill_weights(graph::Conv& conv) {
  const auto taps = static_cast<size_t>(conv.in_channels * conv.kernel_width * conv.kernel_height);
  const auto outputs = static_cast<size_t>(conv.out_channels);
  if (!conv.weights) conv.weights = random_weights(taps * outputs, 2.0F / static_cast<float>(taps));
  if (!conv.biases) conv.biases = random_weights(outputs, 0.25F);
}

graph::Graph alone(graph::Conv conv) {
  graph::Graph graph;
  const auto input = graph.add_value("input", {DType::f32, Layout::planar, conv.in_channels});
  const auto output = graph.add_value("output", {DType::f32, Layout::planar, conv.out_channels});
  graph.add_input(input);
  graph.add_output(output);
  graph.add_node({"conv", std::move(conv), {input}, {output}, ""});
  return graph;
}

bool same_shape(const graph::Conv& a, const graph::Conv& b) {
  return a.in_channels == b.in_channels && a.out_channels == b.out_channels &&
         a.kernel_width == b.kernel_width && a.kernel_height == b.kernel_height && a.padding == b.padding &&
         a.apply_relu == b.apply_relu;
}

bool is_known(const std::vector<Task>& tasks, const Task& wanted) {
  return std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
    return task.kernel == wanted.kernel && task.dtype == wanted.dtype &&
           same_shape(task.conv(), wanted.conv());
  });
}

// One for every kernel that computes it.
void add_tasks(std::vector<Task>& tasks, const graph::Conv& conv, const Extent& extent, DType dtype,
               const kernels::DeviceInfo& device, const std::vector<std::string>& only) {
  for (const kernels::Kernel* kernel : kernels::all_kernels()) {
    const bool is_wanted = only.empty() || std::find(only.begin(), only.end(), kernel->id()) != only.end();
    if (!is_wanted || kernel->family() != "conv") continue;
    auto task = make_task(*kernel, conv, extent, dtype);
    if (!task || !kernel->legal(task->graph, task->node(), device, {.dtype = dtype})) continue;
    if (!is_known(tasks, *task)) tasks.push_back(std::move(*task));
  }
}

struct StandardShape {
  int in_channels = 0;
  int out_channels = 0;
  int kernel_size = 0;
  bool apply_relu = true;
};

// ESPCN at three factors, FSRCNN, and what networks with residual blocks are made of.
constexpr auto kStandardShapes = std::to_array<StandardShape>({{1, 64, 5},
                                                               {64, 64, 3},
                                                               {64, 32, 3},
                                                               {32, 4, 3, false},
                                                               {32, 9, 3, false},
                                                               {32, 16, 3, false},
                                                               {1, 32, 5},
                                                               {1, 64, 3},
                                                               {3, 64, 3},
                                                               {32, 32, 3},
                                                               {1, 56, 5},
                                                               {56, 12, 1},
                                                               {12, 12, 3},
                                                               {12, 56, 1},
                                                               {64, 256, 3, false},
                                                               {64, 3, 3, false}});

}  // namespace

std::string to_text(const Task& task) {
  return kernels::shape_text(task.node(), task.dtype) + " on " + std::to_string(task.extent.width_px) + "x" +
         std::to_string(task.extent.height_px);
}

std::string exact_text(const Task& task) {
  const graph::Conv& conv = task.conv();
  const graph::Padding& padding = conv.padding;
  std::string text(task.kernel->id());
  text.append(" ").append(to_text(task)).append(" padding");
  for (const int side : {padding.left, padding.top, padding.right, padding.bottom})
    text.append(" ").append(std::to_string(side));
  text.append(conv.apply_relu ? " relu from " : " from ").append(kernels::to_text(task.input));
  return text.append(" to ").append(kernels::to_text(task.output));
}

Result<Task> make_task(const kernels::Kernel& kernel, graph::Conv conv, const Extent& extent, DType dtype) {
  fill_weights(conv);
  Task task{&kernel, alone(std::move(conv)), extent, dtype, {}, {}};
  if (!kernels::has_dtype(kernel, dtype) || !kernel.computes(task.graph, task.node())) {
    return fail(ErrorCode::usage, "kernel " + std::string(kernel.id()) + " does not compute " +
                                      kernels::shape_text(task.node(), dtype));
  }
  task.input = kernel.reads(task.graph, task.node(), dtype).front();
  task.output = kernel.writes(task.graph, task.node(), dtype).front();
  return task;
}

Result<std::vector<Task>> make_tasks(const graph::Graph& network, const Extent& size, DType dtype,
                                     const kernels::DeviceInfo& device,
                                     const std::vector<std::string>& only) {
  const auto extents = graph::infer_extents(network, std::array{size});
  if (!extents) return tl::unexpected(extents.error());
  std::vector<Task> tasks;
  for (const graph::Node& node : network.nodes()) {
    const auto* conv = std::get_if<graph::Conv>(&node.op);
    if (conv != nullptr) add_tasks(tasks, *conv, (*extents)[node.inputs.front()], dtype, device, only);
  }
  return tasks;
}

std::vector<Task> standard_tasks(const Extent& size, DType dtype, const kernels::DeviceInfo& device,
                                 const std::vector<std::string>& only) {
  std::vector<Task> tasks;
  for (const StandardShape& shape : kStandardShapes) {
    const int pad = shape.kernel_size / 2;
    graph::Conv conv;
    conv.in_channels = shape.in_channels;
    conv.out_channels = shape.out_channels;
    conv.kernel_height = conv.kernel_width = shape.kernel_size;
    conv.padding = {pad, pad, pad, pad};
    conv.apply_relu = shape.apply_relu;
    add_tasks(tasks, conv, size, dtype, device, only);
  }
  return tasks;
}

std::vector<Task> chosen_tasks(const plan::ChosenGraph& chosen, const Extent& extent) {
  std::vector<Task> tasks;
  for (size_t i = 0; i < chosen.nodes.size(); ++i) {
    const graph::Node& node = chosen.graph.nodes()[i];
    const auto* conv = std::get_if<graph::Conv>(&node.op);
    if (conv == nullptr) continue;
    const kernels::KernelChoice& choice = chosen.nodes[i].choice;
    Task task{chosen.nodes[i].kernel, alone(*conv), extent, choice.dtype, choice.input, choice.output};
    if (!is_known(tasks, task)) tasks.push_back(std::move(task));
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.conv().weights->size() > b.conv().weights->size();
  });
  return tasks;
}

}  // namespace upres::tune
