#include "tune/task.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <utility>

#include "graph/extents.h"
#include "graph/passes/passes.h"
#include "graph/text.h"

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

void fill_weights(graph::Operator& op) {
  if (auto* conv = std::get_if<graph::Conv>(&op)) fill_weights(*conv);
  if (auto* pair = std::get_if<graph::ConvPair>(&op)) {
    fill_weights(pair->first);
    fill_weights(pair->second);
  }
}

graph::Graph alone(graph::Operator op) {
  graph::Graph graph;
  const auto convs = graph::convolutions(op);
  const int block = convs.back()->shuffle.block;
  const int out_channels = convs.back()->out_channels / (block * block);
  const auto input = graph.add_value("input", {DType::f32, Layout::planar, convs.front()->in_channels});
  const auto output = graph.add_value("output", {DType::f32, Layout::planar, out_channels});
  graph.add_input(input);
  graph.add_output(output);
  graph.add_node({"conv", std::move(op), {input}, {output}, ""});
  return graph;
}

bool is_known(const std::vector<Task>& tasks, const Task& wanted) {
  return std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
    return task.kernel == wanted.kernel &&
           kernels::shape_text(task.node(), task.dtype) == kernels::shape_text(wanted.node(), wanted.dtype);
  });
}

kernels::Storage in_buffers(kernels::Storage storage) {
  if (storage.arrangement == kernels::Arrangement::image) storage.arrangement = kernels::Arrangement::packed;
  return storage;
}

// One for every kernel that computes it.
void add_tasks(std::vector<Task>& tasks, const graph::Operator& op, const Extent& extent, DType dtype,
               const kernels::DeviceInfo& device, const std::vector<std::string>& only) {
  for (const kernels::Kernel* kernel : kernels::all_kernels()) {
    const bool is_wanted = only.empty() || std::find(only.begin(), only.end(), kernel->id()) != only.end();
    if (!is_wanted || kernel->family() != "conv") continue;
    auto task = make_task(*kernel, op, extent, dtype);
    if (!task || !kernel->legal(task->graph, task->node(), device, {.dtype = dtype})) continue;
    if (!is_known(tasks, *task)) tasks.push_back(std::move(*task));
  }
}

// The network with pairs, with shuffles in its convolutions, and as it is.
std::vector<graph::Graph> as_plans_fuse(const graph::Graph& network) {
  const auto is_wanted = [](const graph::Graph& graph, const graph::Node& node) {
    return std::ranges::any_of(kernels::all_kernels(),
                               [&](const auto* kernel) { return kernel->computes(graph, node); });
  };
  std::vector<graph::Graph> graphs = {network};
  graph::Graph fused = network;
  if (graph::fuse_shuffle_into_conv(fused, is_wanted) == graph::PassStatus::changed) graphs.push_back(fused);
  if (graph::fuse_conv_pairs(fused, is_wanted) == graph::PassStatus::changed) graphs.push_back(fused);
  std::ranges::reverse(graphs);
  return graphs;
}

struct StandardShape {
  int in_channels = 0;
  int out_channels = 0;
  int kernel_size = 0;
  bool apply_relu = true;

  [[nodiscard]] graph::Conv conv() const {
    const int pad = kernel_size / 2;
    graph::Conv conv;
    conv.in_channels = in_channels;
    conv.out_channels = out_channels;
    conv.kernel_height = conv.kernel_width = kernel_size;
    conv.padding = {pad, pad, pad, pad};
    conv.apply_relu = apply_relu;
    return conv;
  }
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
constexpr auto kStandardPairs =
    std::to_array<std::pair<StandardShape, StandardShape>>({{{1, 64, 5}, {64, 64, 3}},
                                                            {{3, 64, 3}, {64, 64, 3}},
                                                            {{64, 32, 3}, {32, 4, 3, false}},
                                                            {{64, 32, 3}, {32, 9, 3, false}}});

}  // namespace

std::string to_text(const Task& task) {
  return kernels::shape_text(task.node(), task.dtype) + " on " + std::to_string(task.extent.width_px) + "x" +
         std::to_string(task.extent.height_px);
}

std::string exact_text(const Task& task) {
  std::string text(task.kernel->id());
  text.append(" ").append(to_text(task)).append(" ").append(graph::describe(task.node().op));
  text.append(" from ").append(kernels::to_text(task.input));
  return text.append(" to ").append(kernels::to_text(task.output));
}

uint64_t Task::flops() const {
  const auto extents = graph::infer_extents(graph, std::array{extent});
  return extents ? graph::flops(node(), (*extents)[node().outputs.front()]) : 0;
}

Result<Task> make_task(const kernels::Kernel& kernel, graph::Operator op, const Extent& extent, DType dtype) {
  fill_weights(op);
  Task task{&kernel, alone(std::move(op)), extent, dtype, {}, {}};
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
  std::vector<Task> tasks;
  for (const graph::Graph& graph : as_plans_fuse(network)) {
    const auto extents = graph::infer_extents(graph, std::array{size});
    if (!extents) return tl::unexpected(extents.error());
    for (const graph::Node& node : graph.nodes()) {
      if (!graph::convolutions(node.op).empty())
        add_tasks(tasks, node.op, (*extents)[node.inputs.front()], dtype, device, only);
    }
  }
  return tasks;
}

std::vector<Task> standard_tasks(const Extent& size, DType dtype, const kernels::DeviceInfo& device,
                                 const std::vector<std::string>& only) {
  std::vector<Task> tasks;
  for (const StandardShape& shape : kStandardShapes)
    add_tasks(tasks, shape.conv(), size, dtype, device, only);
  for (const auto& [first, second] : kStandardPairs) {
    const graph::ConvPair pair{first.conv(), second.conv()};
    add_tasks(tasks, pair, size, dtype, device, only);
  }
  return tasks;
}

std::vector<Task> chosen_tasks(const plan::ChosenGraph& chosen, const Extent& extent) {
  std::vector<Task> tasks;
  for (size_t i = 0; i < chosen.nodes.size(); ++i) {
    const graph::Node& node = chosen.graph.nodes()[i];
    if (graph::convolutions(node.op).empty()) continue;
    const kernels::KernelChoice& choice = chosen.nodes[i].choice;
    Task task{chosen.nodes[i].kernel, alone(node.op),           extent,
              choice.dtype,           in_buffers(choice.input), in_buffers(choice.output)};
    if (!is_known(tasks, task)) tasks.push_back(std::move(task));
  }
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Task& a, const Task& b) { return a.flops() > b.flops(); });
  return tasks;
}

}  // namespace upres::tune
