// The convolutions of the CPU device, by oneDNN. The only file pair that knows its interface (that of 2.x).
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

// One convolution with its weights, packed once, and a primitive for each band shape that it meets (kept).
class Convolution {
 public:
  // Element types: f32 -> f32, bf16 -> bf16 or bf16 -> f32; weights become bf16 with bf16 inputs. bf16_split
  // inputs hold three bf16 for each channel (high part, low part, high part), against which weights are laid
  // as (high, high, low): a convolution of single precision's inputs and weights on bf16 units, right to
  // about 16 bits. Shares the weights of `conv`. Errors: device, when oneDNN has no implementation or memory
  // is out.
  static Result<std::unique_ptr<Convolution>> create(const graph::Conv& conv, Element in, Element out,
                                                     std::string label);
  virtual ~Convolution() = default;

  // Before the bands of a job are made ready: how many threads will call run(). Errors: device.
  virtual Status prepare(int workers) = 0;
  // Makes the primitive for such a band, for one thread, unless it is there. Errors: device.
  virtual Status make_ready(const ConvBand& band) = 0;
  // Computes one band that was made ready, in the calling thread, which is number `worker`. Several threads
  // may call it at a time, each with its own number. Errors: device.
  virtual Status run(int worker, const ConvBand& band, const std::byte* in, std::byte* out) = 0;
  // oneDNN's name of the implementation: "brgconv:avx512_core_bf16". Empty before the first band was made
  // ready.
  [[nodiscard]] virtual std::string implementation() const = 0;
};

// "oneDNN 2.6.3"; the instruction set that it uses ("avx512_core_bf16"); whether that multiplies bf16 in
// hardware.
std::string onednn_version();
std::string onednn_isa();
bool onednn_has_bf16();

}  // namespace upres::session::cpu
