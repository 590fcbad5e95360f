// A graph on a device with noise to compute on, run again and again: what bench measures with.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "plan/tiles.h"
#include "session/session.h"
#include "upscale/bench.h"
#include "upscale/device.h"
#include "upscale/tiled_run.h"

namespace upres::upscale {

// The same noise each time: bytes as pixels, or as samples from 0 to 1.
Tensor noise_tensor(const TensorType& type, const Extent& extent);

// A session with its windows, an input and room for outputs.
struct BenchSetup {
  std::unique_ptr<session::Session> session;
  plan::TileGrid grid;
  Tensor input;
  Tensor output;

  Result<RunReport> run(const RunCallbacks& callbacks = {}) {
    return run_tiles(*session, grid, std::as_const(input).view(), output.view(), callbacks);
  }
};

// graph: with one input, whose picture its first output is, `factor` times as large. Errors: device, model,
// usage.
Result<BenchSetup> set_up_bench(const Device& device, const graph::Graph& graph, int factor,
                                const Extent& size, const BenchOptions& options);

// What some runs took.
struct BenchSamples {
  std::vector<double> compute_ms;
  std::vector<double> wall_ms;
  std::vector<session::StepTime> steps;           // of the last run
  std::vector<std::vector<double>> step_ms = {};  // [step][run]
  std::vector<session::TransferTimes> transfers = {};
  std::vector<session::JobReport> last_jobs = {};  // of the last run, one a window
};

// options.runs runs after a warm-up, of 0.6 s at least on a GPU, whose clock is low when idle. Errors: of the
// session, cancelled.
Result<BenchSamples> measure_runs(const Device& device, BenchSetup& setup, const BenchOptions& options);

// Time a picture when one follows the other with as many windows in flight as the session takes: of the
// fastest of up to three rows of options.runs pictures (at least 4), as many as fit a second. Errors: of the
// session, cancelled.
Result<double> measure_steady_ms(BenchSetup& setup, const BenchOptions& options);

// Absent as soon as one value is not known, which is a negative one.
std::optional<double> known_median(const std::vector<double>& values);

}  // namespace upres::upscale
