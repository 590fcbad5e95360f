// Cutting a picture into windows that overlap by what the network sees. Shared by GPU and CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "graph/extents.h"
#include "graph/graph.h"
#include "kernels/device_info.h"

namespace upres::plan {

// One window: what to read, what to compute, and which part of that to keep.
struct Tile {
  Origin input;   // of the window, in the input picture
  Origin output;  // of the computed window, in the output picture
  Origin keep;    // of the kept part, in the output picture
  Extent keep_extent;
};

// Beyond the halo and one pixel a window needs room for this much, to begin at an even pixel.
inline constexpr int kEvenRoom_px = 2;

// All windows have the same size, so that one plan serves them all: those at the right and bottom edges are
// moved inwards. They begin at even pixels of the input. Kept parts cover the output once.
struct TileGrid {
  Extent input_window;
  Extent output_window;
  std::vector<Tile> tiles;
};

// Windows of a picture of `input` pixels whose result has `output` pixels (factor times the input, or a
// resampled size). factor: the network's own, also where the result is resampled to another size: it is what
// tells the two apart, and a result of exactly factor times the input is cut as one that no Resample follows.
// edge_px: the largest window edge wanted, in input pixels, halo included; clamped to the
// picture. Kept parts do not depend on anything but the arguments. Errors: usage, when edge_px leaves no room
// between two halos ("tile size 8 is too small ...").
Result<TileGrid> make_tiles(const Extent& input, const Extent& output, const graph::Halo& halo, int factor,
                            int edge_px);

// Largest square-ish window of the graph that fits device limits (each tensor within the storage buffer range
// and the buffer size, scratch + inputs + outputs of `slots` windows in flight within the memory budget,
// group counts), at most the picture. with_images: the plan may keep in images what can be one
// (may_use_images). Errors: device, when not even the smallest window fits, naming the limit.
Result<int> choose_tile_edge(const graph::Graph& graph, const Extent& picture,
                             const kernels::DeviceLimits& limits, int slots, bool with_images = false);

}  // namespace upres::plan
