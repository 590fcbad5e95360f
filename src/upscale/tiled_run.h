// Running one graph over a whole picture by windows, several in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/error.h"
#include "base/tensor.h"
#include "kernels/pixels/statistics.h"
#include "plan/tiles.h"
#include "session/session.h"

namespace upres::upscale {

// Ways to watch and stop a run; each may be empty. Called from the thread that runs, between two tiles.
struct RunCallbacks {
  std::function<void(int64_t done_px, int64_t total_px)> progress = {};  // pixels of the output
  std::function<bool()> cancelled = {};                                  // true: stop as soon as possible
  std::function<void(const session::JobReport&)> tile_done = {};         // with the report of each tile's job
};

struct RunReport {
  kernels::Statistics statistics;  // of the whole picture; all zero where the graph has no such output
  session::JobReport times;        // summed over the tiles; negative where a part is not known
};

// Computes output 0 of the session's graph from its input 0, window by window as `grid` (plan::make_tiles)
// says; a second output holds statistics. Keeps Session::slots() jobs in flight. Rows may have any stride.
// After an error `output` holds nothing of use. Errors: cancelled, and those of the session.
Result<RunReport> run_tiles(session::Session& session, const plan::TileGrid& grid, const TensorView& input,
                            const MutableTensorView& output, const RunCallbacks& callbacks = {});

// A whole picture, before and after.
struct Picture {
  TensorView input;
  MutableTensorView output;
};

// The same for several pictures of one size, one behind the other: the first windows of a picture begin while
// the last of the one before it are still in flight. No two of slots() + 1 pictures in a row may share an
// output. The report is of all; `progress` counts their pixels together.
Result<RunReport> run_pictures(session::Session& session, const plan::TileGrid& grid,
                               std::span<const Picture> pictures, const RunCallbacks& callbacks = {});

// Whether the graph ends in a resampling of the picture, so that windows of its output need absolute
// positions.
bool resamples(const graph::Graph& graph);

}  // namespace upres::upscale
