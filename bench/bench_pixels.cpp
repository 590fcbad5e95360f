// The pixel operators of the CPU device as sessions run them: one operator, one thread, 1280x720 (Decode: to
// 3840x2160).
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/extents.h"
#include "session/cpu/cpu_session.h"

namespace {

using namespace upres;

constexpr Extent kSize = {1280, 720};

TensorType planes(int channels) { return {DType::f32, Layout::planar, channels}; }
TensorType pixels(DType dtype, int channels) { return {dtype, Layout::interleaved, channels}; }

struct Ports {
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
};

graph::Graph one_node(graph::Operator op, const Ports& ports) {
  graph::Graph graph;
  graph::Node node = {.name = "node", .op = std::move(op), .inputs = {}, .outputs = {}, .origin = {}};
  for (const TensorType& type : ports.inputs) {
    node.inputs.push_back(graph.add_value("in " + std::to_string(node.inputs.size()), type));
    graph.add_input(node.inputs.back());
  }
  for (const TensorType& type : ports.outputs) {
    node.outputs.push_back(graph.add_value("out " + std::to_string(node.outputs.size()), type));
    graph.add_output(node.outputs.back());
  }
  graph.add_node(std::move(node));
  return graph;
}

void run(benchmark::State& state, const graph::Graph& graph, const Extent& resampled) {
  auto session = session::CpuSession::create(graph, {.threads = 1}, Log());
  if (!session) {
    state.SkipWithError(session.error().message.c_str());
    return;
  }
  const std::vector<Extent> sizes(graph.inputs().size(), kSize);
  auto extents = graph::infer_extents(graph, sizes, resampled);
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  session::Job job;
  for (const graph::ValueId id : graph.inputs()) inputs.emplace_back(graph.value(id).type, (*extents)[id]);
  for (const graph::ValueId id : graph.outputs()) outputs.emplace_back(graph.value(id).type, (*extents)[id]);
  for (const Tensor& input : inputs) job.inputs.push_back(input.view());
  for (Tensor& output : outputs) job.outputs.push_back(output.view());
  job.window.resampled_extent = resampled;
  for (auto _ : state) {
    auto report = (*session)->run(job);
    if (!report) state.SkipWithError(report.error().message.c_str());
  }
  const Extent& out = outputs.front().extent;
  const double megapixels = static_cast<double>(out.width_px) * out.height_px / 1e6;
  state.counters["Mpx/s"] = benchmark::Counter(megapixels, benchmark::Counter::kIsIterationInvariantRate);
}

void add(const std::string& name, const graph::Graph& graph, const Extent& resampled = {}) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, graph, resampled); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

std::string text(DType dtype) { return std::string(name(dtype)); }

void add_all() {
  using graph::NetworkColors;
  const TensorType statistics{DType::u32, Layout::flat, 4};
  for (const DType dtype : {DType::u8, DType::u16}) {
    add("encode/rgb_to_ycbcr/" + text(dtype),
        one_node(graph::Encode{NetworkColors::luma}, {{pixels(dtype, 3)}, {planes(1), planes(2)}}));
    for (const int factor : {2, 3, 4}) {
      const graph::Decode decode = {.block = factor, .factor = factor};
      add("decode/x" + std::to_string(factor) + "/" + text(dtype),
          one_node(decode, {{planes(factor * factor), planes(2)}, {pixels(dtype, 3), statistics}}));
    }
    add("store/" + text(dtype), one_node(graph::Store{}, {{planes(3)}, {pixels(dtype, 3)}}));
  }
  add("decode/rgb_network/x3", one_node(graph::Decode{.colors = NetworkColors::rgb, .block = 3, .factor = 3},
                                        {{planes(27)}, {pixels(DType::u8, 3), statistics}}));
  for (const int factor : {2, 3, 4}) {
    add("depth_to_space/x" + std::to_string(factor),
        one_node(graph::DepthToSpace{factor, graph::ShuffleMode::crd},
                 {{planes(factor * factor)}, {planes(1)}}));
  }
  const Extent larger{1600, 900};
  add("resample/x",
      one_node(graph::Resample{graph::Axis::x, kSize.width_px, larger.width_px}, {{planes(3)}, {planes(3)}}),
      larger);
  add("resample/y",
      one_node(graph::Resample{graph::Axis::y, kSize.height_px, larger.height_px},
               {{planes(3)}, {planes(3)}}),
      larger);
}

}  // namespace

int main(int argc, char** argv) {
  add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
