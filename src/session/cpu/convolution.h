// A convolution on bands of rows, however it is computed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/error.h"
#include "graph/graph.h"
#include "session/cpu/place.h"

namespace upres::session::cpu {

// A band of rows of one convolution. Input and output are channels-last and dense: [rows][width][channels].
struct ConvBand {
  int in_rows = 0;
  int in_width_px = 0;
  int out_rows = 0;
  int out_width_px = 0;
  graph::Padding padding;  // of this band: zero at the top and bottom, but for true edges
  friend bool operator==(const ConvBand&, const ConvBand&) = default;
};

// Where the band's first output pixel lies in the whole picture, modulo 2: what is computed in tiles of 2x2
// lays them on even positions of the whole, so that windows do not change a pixel's bits.
struct TilePhase {
  int y = 0;
  int x = 0;
};

class Convolution {
 public:
  virtual ~Convolution() = default;

  // Before the bands of a job are made ready: how many threads will call run(). Errors: device.
  virtual Status prepare(int workers) = 0;
  // Makes the code for such a band, for one thread, unless it is there. Errors: device.
  virtual Status make_ready(const ConvBand& band) = 0;
  // Computes one band that was made ready, in the calling thread, which is number `worker`. Several threads
  // may call it at a time, each with its own number. Errors: device.
  virtual Status run(int worker, const ConvBand& band, const TilePhase& phase, const std::byte* in,
                     std::byte* out) = 0;
  // Name of the implementation: "brgconv:avx512_core_bf16". May be empty before the first band was made
  // ready.
  [[nodiscard]] virtual std::string implementation() const = 0;
  // Bands should end at multiples of this many rows of the whole picture, or time is wasted.
  [[nodiscard]] virtual int row_multiple() const { return 1; }
};

}  // namespace upres::session::cpu
