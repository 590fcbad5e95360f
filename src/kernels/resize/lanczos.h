// The table of a Lanczos resampling of one axis for a window of the output, made on the host in double precision with
// absolute positions, so that a pixel's taps are the same bits in whatever window it lies.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace upres::kernels {

struct ResampleTable {
  uint32_t taps = 0;                   // per output sample
  std::vector<int32_t> first_samples;  // [out]: first input sample, relative to the window
  std::vector<float> weights;          // [out][taps], summing to 1
};

// Number of taps for this reduction or enlargement: those of the stretched kernel, at most in_total.
uint32_t resample_taps(const graph::Resample& op);

// Table for output samples [out_begin, out_begin + out_count) of the whole picture, reading a window of the input that
// begins at in_begin and has in_count samples. Edges are replicated by folding: taps that would lie outside the whole
// picture are moved inside and their weights added to the edge's sample. With the halo of graph::receptive_field all
// samples first .. first + taps - 1 lie inside the window (asserted).
// Kernel: a(x) = sinc(x) sinc(x/3) for |x| < 3 (Duchon 1979), stretched by in/out when it reduces.
ResampleTable make_resample_table(const graph::Resample& op, int out_begin, int out_count, int in_begin, int in_count);

}  // namespace upres::kernels
