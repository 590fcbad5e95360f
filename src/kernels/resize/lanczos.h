// The table of a Lanczos resampling of one axis for a window of the output, made on the host in double
// precision with absolute positions, so that a pixel gets the same bits in whatever window it lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "kernels/reference.h"

namespace upres::kernels {

struct ResampleTable {
  uint32_t taps = 0;                   // per output sample
  std::vector<int32_t> first_samples;  // [out]: first input sample, relative to the window, never negative
  std::vector<float> weights;  // [out][taps], summing to 1; zero for taps beyond the end of a short window
};

// Number of taps for this reduction or enlargement: those of the stretched kernel, at most in_total.
uint32_t resample_taps(const graph::Resample& op);

// Table for output samples [out_begin, out_begin + out_count) of the whole picture, reading a window of the
// input that begins at in_begin and has in_count samples. Edges are replicated by folding: the weight of a
// tap outside the window is added to the window's edge sample. At the picture's edge that is the definition;
// elsewhere such outputs are not those of the whole picture and belong to the part of a tile that is not kept
// (the halo of graph::receptive_field). Kernel: a(x) = sinc(x) sinc(x/3) for |x| < 3 (Duchon 1979), stretched
// by in/out when it reduces.
ResampleTable make_resample_table(const graph::Resample& op, int out_begin, int out_count, int in_begin,
                                  int in_count);

// The same for a Resample node of a graph within a job: its input begins at the job's input origin times the
// factor of the graph's Decode (1 without one), its output at the origin of the resampled window.
ResampleTable make_resample_table(const graph::Graph& graph, const graph::Node& node,
                                  std::span<const Extent> extents, const JobWindow& window);

}  // namespace upres::kernels
