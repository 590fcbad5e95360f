#include "upscale/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "base/median.h"
#include "graph/extents.h"
#include "graph/picture.h"
#include "kernels/reference.h"
#include "plan/tiles.h"
#include "upscale/tiled_run.h"
#include "upscale/upscaler.h"

namespace upres::upscale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kNaive = "conv_naive";
constexpr double kGpuWarmUp_ms = 600;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Extent kErrorSize = {37, 29};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Absent as soon as one value is not known.
std::optional<double> known_median(const std::vector<double>& values) {
  const bool is_known = std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
  return is_known && !values.empty() ? std::optional(median(values)) : std::nullopt;
}

// The same noise each time; bytes are all that pixels and, scaled, samples need.
std::vector<uint8_t> noise(size_t count) {
  std::vector<uint8_t> values(count);
  uint32_t state = 1;
  for (uint8_t& value : values) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
    value = static_cast<uint8_t>(state >> 24U);
  }
  return values;
}

Tensor random_planes(const TensorType& type, const Extent& extent) {
  Tensor tensor(type, extent);
  auto samples = tensor.as<float>();
  const auto values = noise(samples.size());
  std::transform(values.begin(), values.end(), samples.begin(),
                 [](uint8_t value) { return static_cast<float>(value) / 255; });
  return tensor;
}

Tensor random_pixels(const TensorType& type, const Extent& extent) {
  Tensor tensor(type, extent);
  const auto values = noise(tensor.bytes.size());
  std::transform(values.begin(), values.end(), tensor.bytes.begin(),
                 [](uint8_t value) { return std::byte{value}; });
  return tensor;
}

// A graph on a device, with its windows, an input and room for the output.
struct Setup {
  std::unique_ptr<session::Session> session;
  plan::TileGrid grid;
  Tensor input;
  Tensor output;

  Result<RunReport> run() { return run_tiles(*session, grid, std::as_const(input).view(), output.view()); }
};

Result<Setup> set_up(const Device& device, const graph::Graph& graph, int factor, const Extent& size,
                     const BenchOptions& options) {
  auto session = device.make_session(graph, options.precision);
  if (!session) return propagate(session);
  const auto edge_px = tile_edge_px(device, graph, size, options.tile_px);
  if (!edge_px) return tl::unexpected(edge_px.error());
  const Extent output{size.width_px * factor, size.height_px * factor};
  auto grid = plan::make_tiles(size, output, graph::receptive_field(graph), factor, *edge_px);
  if (!grid) return propagate(grid);
  const TensorType in_type = graph.value(graph.inputs().front()).type;
  Tensor input = in_type.dtype == DType::f32 ? random_planes(in_type, size) : random_pixels(in_type, size);
  Tensor result(graph.value(graph.outputs().front()).type, output);
  return Setup{std::move(*session), std::move(*grid), std::move(input), std::move(result)};
}

struct Samples {
  std::vector<double> compute_ms;
  std::vector<double> wall_ms;
  std::vector<session::StepTime> steps;           // of the last run
  std::vector<std::vector<double>> step_ms = {};  // [step][run]
};

Status warm_up(const Device& device, Setup& setup) {
  const auto begin = Clock::now();
  do {
    if (auto report = setup.run(); !report) return propagate(report);
  } while (!device.is_cpu() && ms_since(begin) < kGpuWarmUp_ms);
  return {};
}

void add_run(Samples& samples, const RunReport& report, double wall_ms) {
  samples.compute_ms.push_back(report.times.compute_ms);
  samples.wall_ms.push_back(wall_ms);
  samples.steps = report.times.steps;
  samples.step_ms.resize(samples.steps.size());
  for (size_t i = 0; i < samples.steps.size(); ++i) samples.step_ms[i].push_back(samples.steps[i].device_ms);
}

Result<Samples> measure(const Device& device, Setup& setup, const BenchOptions& options) {
  if (auto warm = warm_up(device, setup); !warm) return propagate(warm);
  Samples samples;
  for (int i = 0; i < options.runs; ++i) {
    if (options.cancelled && options.cancelled()) return fail(ErrorCode::cancelled, "stopped");
    const auto begin = Clock::now();
    auto report = setup.run();
    if (!report) return propagate(report);
    add_run(samples, *report, ms_since(begin));
  }
  return samples;
}

std::vector<BenchLayer> layers_of(const Samples& samples) {
  std::vector<BenchLayer> layers;
  for (size_t i = 0; i < samples.steps.size(); ++i) {
    const session::StepTime& step = samples.steps[i];
    BenchLayer layer{step.node,    step.kernel, step.constants, known_median(samples.step_ms[i]),
                     std::nullopt, step.bytes};
    if (layer.median_ms && *layer.median_ms > 0)
      layer.gflops = static_cast<double>(step.flops) / *layer.median_ms / 1e6;
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::string kernel_of(const Device& device, const Samples& samples) {
  if (!device.options().kernel.empty()) return device.options().kernel;
  if (!device.is_cpu() || samples.steps.empty()) return "plan";
  return std::max_element(samples.steps.begin(), samples.steps.end(),
                          [](const auto& a, const auto& b) { return a.flops < b.flops; })
      ->kernel;
}

// Of the session's network against the plain reference, on a small picture.
Result<Accuracy> measure_accuracy(const Device& device, const PictureModel& model,
                                  const BenchOptions& options) {
  BenchOptions small = options;
  small.tile_px = std::max(kErrorSize.width_px, kErrorSize.height_px);
  auto setup = set_up(device, model.model.network, model.kind.factor, kErrorSize, small);
  if (!setup) return propagate(setup);
  if (auto report = setup->run(); !report) return propagate(report);
  const auto expected = kernels::run_reference(model.model.network, std::array{setup->input});
  if (!expected) return tl::unexpected(expected.error());
  return accuracy_of(std::as_const(setup->output).as<float>(), expected->front().as<float>(),
                     options.precision);
}

bool uses_only_naive(const Samples& samples) {
  return std::all_of(samples.steps.begin(), samples.steps.end(), [](const session::StepTime& step) {
    return !step.kernel.starts_with("conv") || step.kernel == kNaive;
  });
}

// Median time of the network with conv_naive over `median_ms`.
Result<double> times_naive(const Device& device, const PictureModel& model, const BenchOptions& options,
                           const Samples& samples, double median_ms) {
  if (uses_only_naive(samples)) return 1.0;
  auto naive = device.with_kernel(kNaive);
  BenchOptions naive_options = options;
  naive_options.precision = Precision::fp32;  // all that it has
  auto setup = set_up(naive, model.model.network, model.kind.factor, options.size, naive_options);
  if (!setup) return propagate(setup);
  const auto measured = measure(naive, *setup, naive_options);
  if (!measured) return tl::unexpected(measured.error());
  return known_median(measured->compute_ms).value_or(0) / median_ms;
}

Result<double> total_ms(const Device& device, const PictureModel& model, const BenchOptions& options) {
  const auto graph = graph::attach_picture_ends(model.model.network, {});
  if (!graph) return tl::unexpected(graph.error());
  auto setup = set_up(device, *graph, model.kind.factor, options.size, options);
  if (!setup) return propagate(setup);
  const auto samples = measure(device, *setup, options);
  if (!samples) return tl::unexpected(samples.error());
  return median(samples->wall_ms);
}

void add_network_times(BenchResult& result, const PictureModel& model, const Extent& size,
                       const Samples& samples) {
  result.median_ms = known_median(samples.compute_ms);
  result.layers = layers_of(samples);
  for (const BenchLayer& layer : result.layers) result.bytes += layer.bytes;
  if (!result.median_ms) return;
  result.min_ms = *std::min_element(samples.compute_ms.begin(), samples.compute_ms.end());
  const auto extents = graph::infer_extents(model.model.network, std::array{size});
  if (extents && *result.median_ms > 0) {
    result.gflops =
        static_cast<double>(graph::flops(model.model.network, *extents)) / *result.median_ms / 1e6;
  }
}

}  // namespace

Result<BenchResult> bench(const Device& device, const PictureModel& model, const BenchOptions& options) {
  BenchResult result;
  {
    auto setup = set_up(device, model.model.network, model.kind.factor, options.size, options);
    if (!setup) return propagate(setup);
    const auto samples = measure(device, *setup, options);
    if (!samples) return tl::unexpected(samples.error());
    add_network_times(result, model, options.size, *samples);
    result.kernel = kernel_of(device, *samples);
    if (!device.is_cpu() && result.median_ms && *result.median_ms > 0) {
      const auto ratio = times_naive(device, model, options, *samples, *result.median_ms);
      if (!ratio) return tl::unexpected(ratio.error());
      result.times_naive = *ratio;
    }
  }
  const auto total = total_ms(device, model, options);
  if (!total) return tl::unexpected(total.error());
  result.total_ms = *total;
  const auto accuracy = measure_accuracy(device, model, options);
  if (!accuracy) return tl::unexpected(accuracy.error());
  result.max_error = accuracy->max_error;
  result.error_limit = accuracy->limit;
  return result;
}

Status check_error(const BenchResult& result) {
  if (result.max_error <= result.error_limit) return {};
  return fail(
      ErrorCode::device,
      fmt::format("the result is wrong: it differs from the plain reference by {:.2g}, more than {:.2g}; "
                  "check the device's kernels (doctor), and report it with its driver",
                  result.max_error, result.error_limit));
}

Accuracy accuracy_of(std::span<const float> actual, std::span<const float> expected, Precision precision) {
  Accuracy result;
  double largest = 1;
  for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    if (std::isfinite(expected[i])) largest = std::max(largest, std::abs(double{expected[i]}));
    const bool is_same = actual[i] == expected[i] || (std::isnan(actual[i]) && std::isnan(expected[i]));
    const double difference = is_same ? 0 : std::abs(double{actual[i]} - expected[i]);
    result.max_error = std::isnan(difference) ? kInfinity : std::max(result.max_error, difference);
    if (std::isinf(result.max_error)) break;
  }
  // In fp32 only the order of sums differs. Formats of 16 bits keep 8 bits of each value, which adds up over
  // the layers; what is wrong is off by far more.
  result.limit = (precision == Precision::fp32 ? 1e-4 : 0.1) * largest;
  return result;
}

}  // namespace upres::upscale
