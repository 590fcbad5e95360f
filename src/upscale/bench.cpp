#include "upscale/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/median.h"
#include "graph/extents.h"
#include "graph/picture.h"
#include "kernels/reference.h"
#include "upscale/bench_run.h"

namespace upres::upscale {
namespace {

constexpr std::string_view kNaive = "conv_naive";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Extent kErrorSize = {37, 29};

std::vector<BenchLayer> layers_of(const BenchSamples& samples) {
  std::vector<BenchLayer> layers;
  for (size_t i = 0; i < samples.steps.size(); ++i) {
    const session::StepTime& step = samples.steps[i];
    BenchLayer layer{step.node,    step.kernel, step.constants, known_median(samples.step_ms[i]),
                     std::nullopt, step.bytes,  step.flops,     step.facts};
    if (layer.median_ms && *layer.median_ms > 0)
      layer.gflops = static_cast<double>(step.flops) / *layer.median_ms / 1e6;
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::string kernel_of(const Device& device, const BenchSamples& samples) {
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
  auto setup = set_up_bench(device, model.model.network, model.kind.factor, kErrorSize, small);
  if (!setup) return propagate(setup);
  if (auto report = setup->run(); !report) return propagate(report);
  const auto expected = kernels::run_reference(model.model.network, std::array{setup->input});
  if (!expected) return tl::unexpected(expected.error());
  return accuracy_of(std::as_const(setup->output).as<float>(), expected->front().as<float>(),
                     options.precision);
}

bool uses_only_naive(const BenchSamples& samples) {
  return std::all_of(samples.steps.begin(), samples.steps.end(), [](const session::StepTime& step) {
    return !step.kernel.starts_with("conv") || step.kernel == kNaive;
  });
}

// Of the network alone; what it runs on is given back.
Result<BenchSamples> network_samples(const Device& device, const PictureModel& model,
                                     const BenchOptions& options) {
  auto setup = set_up_bench(device, model.model.network, model.kind.factor, options.size, options);
  if (!setup) return propagate(setup);
  return measure_runs(device, *setup, options);
}

// Median time of the network with conv_naive; negative where the device cannot tell.
Result<double> naive_ms(const Device& device, const PictureModel& model, const BenchOptions& options) {
  if (options.naive_ms) return *options.naive_ms;
  auto naive = device.with_kernel(kNaive);
  BenchOptions naive_options = options;
  naive_options.precision = Precision::fp32;  // all that it has
  const auto measured = network_samples(naive, model, naive_options);
  if (!measured) return tl::unexpected(measured.error());
  return known_median(measured->compute_ms).value_or(-1);
}

std::optional<double> median_of(const std::vector<session::TransferTimes>& transfers,
                                double session::TransferTimes::*part) {
  std::vector<double> values;
  for (const session::TransferTimes& each : transfers) values.push_back(each.*part);
  return known_median(values);
}

BenchTransfers transfers_of(const BenchSamples& samples) {
  using Times = session::TransferTimes;
  return {median_of(samples.transfers, &Times::host_in_ms), median_of(samples.transfers, &Times::upload_ms),
          known_median(samples.compute_ms), median_of(samples.transfers, &Times::download_ms),
          median_of(samples.transfers, &Times::host_out_ms)};
}

// From host pixels to host pixels.
Status measure_pictures(const Device& device, const PictureModel& model, const BenchOptions& options,
                        BenchResult& result) {
  const auto graph = graph::attach_picture_ends(model.model.network, {});
  if (!graph) return tl::unexpected(graph.error());
  auto setup = set_up_bench(device, *graph, model.kind.factor, options.size, options);
  if (!setup) return propagate(setup);
  auto samples = measure_runs(device, *setup, options);
  if (!samples) return tl::unexpected(samples.error());
  result.total_ms = median(samples->wall_ms);
  result.transfers = transfers_of(*samples);
  result.picture_jobs = std::move(samples->last_jobs);
  const auto steady_ms = measure_steady_ms(*setup, options);
  if (!steady_ms) return tl::unexpected(steady_ms.error());
  result.steady_ms = *steady_ms;
  return {};
}

void add_network_times(BenchResult& result, const PictureModel& model, const Extent& size,
                       const BenchSamples& samples) {
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

// Everything about the network alone.
Status measure_network(const Device& device, const PictureModel& model, const BenchOptions& options,
                       BenchResult& result) {
  // Only here, because drivers may compile anew for them.
  auto samples = network_samples(device.with_statistics(), model, options);
  if (!samples) return tl::unexpected(samples.error());
  add_network_times(result, model, options.size, *samples);
  result.kernel = kernel_of(device, *samples);
  result.network_jobs = std::move(samples->last_jobs);
  if (device.is_cpu() || !result.median_ms || !(*result.median_ms > 0)) return {};
  if (uses_only_naive(*samples)) {
    result.times_naive = 1;
    return {};
  }
  const auto naive = naive_ms(device, model, options);
  if (!naive) return tl::unexpected(naive.error());
  if (*naive >= 0) result.times_naive = *naive / *result.median_ms;
  return {};
}

void measure_share_of_peak(const Device& device, const BenchOptions& options, BenchResult& result) {
  if (device.gpu() == nullptr) return;
  result.peaks = options.peaks ? *options.peaks : measure_peaks(*device.gpu(), device.info());
  const auto peak = peak_gflops(result.peaks, options.precision);
  if (peak && result.gflops) result.share_of_peak = *result.gflops / *peak;
}

}  // namespace

double share_of(const BenchResult& result, std::string_view kernel) {
  double all = 0;
  double its = 0;
  for (const BenchLayer& layer : result.layers) {
    if (!layer.kernel.starts_with("conv")) continue;
    all += static_cast<double>(layer.flops);
    const bool is_its = layer.kernel == kernel || layer.kernel.starts_with(std::string(kernel) + "_");
    if (is_its) its += static_cast<double>(layer.flops);
  }
  return all > 0 ? its / all : 0;
}

Result<BenchResult> bench(const Device& device, const PictureModel& model, const BenchOptions& options) {
  BenchResult result;
  if (auto done = measure_network(device, model, options, result); !done) return propagate(done);
  if (auto done = measure_pictures(device, model, options, result); !done) return propagate(done);
  const auto accuracy = measure_accuracy(device, model, options);
  if (!accuracy) return tl::unexpected(accuracy.error());
  result.max_error = accuracy->max_error;
  result.error_limit = accuracy->limit;
  measure_share_of_peak(device, options, result);
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
