// How fast a model runs on a device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "session/session.h"
#include "upscale/device.h"
#include "upscale/model.h"
#include "upscale/peak.h"

namespace upres::upscale {

struct BenchOptions {
  Extent size = {1280, 720};              // of the input
  int runs = 10;                          // at least 1
  Precision precision = Precision::fp32;  // as Device::resolve gave it
  std::optional<int> tile_px = {};
  std::function<bool()> cancelled = {};
  // What is known already of the device with this model and size, and need not be measured again.
  std::optional<double> naive_ms = {};  // median_ms with conv_naive
  std::optional<Peaks> peaks = {};
};

// One step of the network. Absent: the device cannot tell.
struct BenchLayer {
  std::string name;
  std::string kernel;
  std::string constants;
  std::optional<double> median_ms;
  std::optional<double> gflops;
  uint64_t bytes = 0;
  uint64_t flops = 0;
  session::KernelFacts facts = {};
};

// Medians of the parts of total_ms; absent: not known, or the device does it not.
struct BenchTransfers {
  std::optional<double> host_in_ms;   // copied by the host to where the device reads
  std::optional<double> upload_ms;    // copied by the device to its own memory
  std::optional<double> compute_ms;   // all steps, colours too
  std::optional<double> download_ms;  // copied by the device to the host's memory
  std::optional<double> host_out_ms;  // copied by the host to the caller's pixels
};

struct BenchResult {
  std::string kernel;  // the convolution kernel forced, or "plan"; on the CPU the library's implementation of
                       // the largest layer
  // The network alone, pixel shuffle included, colours and transfers not: device time, on the CPU wall time.
  std::optional<double> median_ms;
  std::optional<double> min_ms;
  std::optional<double> total_ms;  // median from host pixels to host pixels (8-bit RGB)
  // A picture, from host pixels to host pixels, of a row of pictures with several windows in flight.
  std::optional<double> steady_ms;
  BenchTransfers transfers;
  std::optional<double> gflops;  // of the median, multiply and add counted as two
  Peaks peaks;                   // of the device
  std::optional<double> share_of_peak;
  uint64_t bytes = 0;                 // read and written by the steps
  std::optional<double> times_naive;  // how many times as fast as conv_naive; absent on the CPU
  double max_error = 0;               // largest difference from the plain reference on a small picture
  double error_limit = 0;             // above it the device computes something else
  std::vector<BenchLayer> layers;
  // The last run of the network, and of pixels to pixels: one job a window.
  std::vector<session::JobReport> network_jobs;
  std::vector<session::JobReport> picture_jobs;
};

// The share of the multiply-adds of convolutions that this kernel computes; 0 to 1.
double share_of(const BenchResult& result, std::string_view kernel);

// Measures after a warm-up (0.6 s at least on a GPU, whose clock is low when idle).
// Errors: device, model, usage, cancelled.
Result<BenchResult> bench(const Device& device, const PictureModel& model, const BenchOptions& options);

// Errors: device, when max_error is above its limit.
Status check_error(const BenchResult& result);

struct Accuracy {
  double max_error = 0;  // largest difference; infinite where NaN or infinity meets something else
  double limit = 0;      // what this precision may cost, for samples as large as the expected ones
};
Accuracy accuracy_of(std::span<const float> actual, std::span<const float> expected, Precision precision);

}  // namespace upres::upscale
