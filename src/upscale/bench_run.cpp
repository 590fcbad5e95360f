#include "upscale/bench_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/median.h"
#include "upscale/upscaler.h"

namespace upres::upscale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGpuWarmUp_ms = 600;
constexpr int kSteadyRounds = 3;
constexpr double kSteadyRounds_ms = 1000;
constexpr int kLeastPictures = 4;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::vector<uint8_t> noise(size_t count) {
  std::vector<uint8_t> values(count);
  uint32_t state = 1;
  for (uint8_t& value : values) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
    value = static_cast<uint8_t>(state >> 24U);
  }
  return values;
}

Status warm_up(const Device& device, BenchSetup& setup) {
  const auto begin = Clock::now();
  do {
    if (auto report = setup.run(); !report) return propagate(report);
  } while (!device.is_cpu() && ms_since(begin) < kGpuWarmUp_ms);
  return {};
}

void add_run(BenchSamples& samples, const RunReport& report, double wall_ms) {
  samples.compute_ms.push_back(report.times.compute_ms);
  samples.wall_ms.push_back(wall_ms);
  samples.transfers.push_back(report.times.transfers);
  samples.steps = report.times.steps;
  samples.step_ms.resize(samples.steps.size());
  for (size_t i = 0; i < samples.steps.size(); ++i) samples.step_ms[i].push_back(samples.steps[i].device_ms);
}

bool is_cancelled(const BenchOptions& options) { return options.cancelled && options.cancelled(); }

}  // namespace

std::optional<double> known_median(const std::vector<double>& values) {
  const bool is_known = std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
  return is_known && !values.empty() ? std::optional(median(values)) : std::nullopt;
}

Tensor noise_tensor(const TensorType& type, const Extent& extent) {
  Tensor tensor(type, extent);
  if (type.dtype == DType::f32) {
    auto samples = tensor.as<float>();
    const auto values = noise(samples.size());
    std::transform(values.begin(), values.end(), samples.begin(),
                   [](uint8_t value) { return static_cast<float>(value) / 255; });
  } else {
    const auto values = noise(tensor.bytes.size());
    std::transform(values.begin(), values.end(), tensor.bytes.begin(),
                   [](uint8_t value) { return std::byte{value}; });
  }
  return tensor;
}

Result<BenchSetup> set_up_bench(const Device& device, const graph::Graph& graph, int factor,
                                const Extent& size, const BenchOptions& options) {
  auto session = device.make_session(graph, options.precision);
  if (!session) return propagate(session);
  const auto edge_px = tile_edge_px(device, graph, size, options.tile_px);
  if (!edge_px) return tl::unexpected(edge_px.error());
  const Extent output{size.width_px * factor, size.height_px * factor};
  auto grid = plan::make_tiles(size, output, graph::receptive_field(graph), factor, *edge_px);
  if (!grid) return propagate(grid);
  Tensor input = noise_tensor(graph.value(graph.inputs().front()).type, size);
  Tensor result(graph.value(graph.outputs().front()).type, output);
  return BenchSetup{std::move(*session), std::move(*grid), std::move(input), std::move(result)};
}

Result<BenchSamples> measure_runs(const Device& device, BenchSetup& setup, const BenchOptions& options) {
  if (auto warm = warm_up(device, setup); !warm) return propagate(warm);
  BenchSamples samples;
  RunCallbacks callbacks;
  callbacks.tile_done = [&samples](const session::JobReport& report) { samples.last_jobs.push_back(report); };
  for (int i = 0; i < options.runs; ++i) {
    if (is_cancelled(options)) return fail(ErrorCode::cancelled, "stopped");
    samples.last_jobs.clear();
    const auto begin = Clock::now();
    auto report = setup.run(callbacks);
    if (!report) return propagate(report);
    add_run(samples, *report, ms_since(begin));
  }
  return samples;
}

Result<double> measure_steady_ms(BenchSetup& setup, const BenchOptions& options) {
  const auto in_flight = static_cast<size_t>(std::max(1, setup.session->slots())) + 1;
  std::vector<Tensor> outputs(in_flight, setup.output);
  std::vector<Picture> pictures;
  const int count = std::max(kLeastPictures, options.runs);
  for (int i = 0; i < count; ++i) {
    Tensor& output = outputs[static_cast<size_t>(i) % in_flight];
    pictures.push_back({std::as_const(setup.input).view(), output.view()});
  }
  RunCallbacks callbacks;
  callbacks.cancelled = options.cancelled;
  double best_ms = -1;
  const auto first_begin = Clock::now();
  for (int round = 0; round == 0 || (round < kSteadyRounds && ms_since(first_begin) < kSteadyRounds_ms);
       ++round) {
    const auto begin = Clock::now();
    if (auto report = run_pictures(*setup.session, setup.grid, pictures, callbacks); !report)
      return propagate(report);
    const double ms = ms_since(begin) / count;
    if (best_ms < 0 || ms < best_ms) best_ms = ms;
  }
  return best_ms;
}

}  // namespace upres::upscale
