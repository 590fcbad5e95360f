// Sizes of tensors, and how far a pixel sees, for a graph whose width and height are free.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace upres::graph {

// Extent of every value (by ValueId) when the graph's inputs have `inputs` (in the graph's order). Resample
// nodes give `resampled` (the window's output extent) on their axis.
// Errors: model, when a convolution would have no output ("node conv_1: input 2x2 is smaller than the 5x5
// kernel"), side planes do not fit the picture, or a size exceeds what an int holds.
Result<std::vector<Extent>> infer_extents(const Graph& graph, std::span<const Extent> inputs,
                                          const Extent& resampled = {});

// Of what a convolution gives for an input of this extent, before its shuffle; both are known to be positive
// (infer_extents).
Extent convolved_extent(const Conv& conv, const Extent& input);

// How many input pixels around a pixel can reach its output: the overlap of tiles.
struct Halo {
  int left_px = 0;
  int top_px = 0;
  int right_px = 0;
  int bottom_px = 0;
};

// Halo of the graph's first input with respect to all its outputs, in input pixels, rounded up where a factor
// lies between. Exact for convolutions (padding p, kernel k: p before, k - 1 - p after); 2 for bicubic side
// planes.
Halo receptive_field(const Graph& graph);

// Multiply-adds counted as two, over all convolutions, for these extents.
uint64_t flops(const Graph& graph, std::span<const Extent> extents);
uint64_t flops(const Node& node, const Extent& output);

}  // namespace upres::graph
