// The table of a Lanczos resampling of one axis for a window of the output, made on the host in double precision with
// absolute positions, so that a pixel's taps are the same bits in whatever window it lies.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace upres::kernels {

struct ResampleTable {
  uint32_t taps = 0;                  // per output sample
  std::vector<int32_t> first_samples;  // [out]: first input sample of the window (clamped indices follow: sample k reads
                                       // clamp(first + k) within the whole picture, then minus the window's origin)
  std::vector<float> weights;         // [out][taps], summing to 1
};

// Number of taps for this reduction or enlargement: 2 * ceil(3 * max(1, in/out)) (+1 where it does not come out even).
uint32_t resample_taps(const graph::Resample& op);

// Table for output samples [out_begin, out_begin + out_count) of the whole picture, reading a window of the input that
// begins at in_begin and has in_count samples. first_samples are relative to the window and every index
// first + k, clamped to the whole picture's edges, lies inside the window when the window has the halo of
// graph::receptive_field; the table folds the clamping in (weights of samples beyond the edge are added to the edge's).
// Kernel: a(x) = sinc(x) sinc(x/3) for |x| < 3 (Duchon 1979), stretched by in/out when it reduces.
ResampleTable make_resample_table(const graph::Resample& op, int out_begin, int out_count, int in_begin, int in_count);

}  // namespace upres::kernels
