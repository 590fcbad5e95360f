// Convolutions and matrix products of the CPU device, by oneDNN. The only file pair that knows its interface
// (that of 2.x).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "graph/graph.h"
#include "session/cpu/convolution.h"

namespace upres::session::cpu {

// A direct convolution with its weights, packed once, and a primitive for each band shape that it meets
// (kept). Element types: f32 -> f32, bf16 -> bf16 or bf16 -> f32; weights become bf16 with bf16 inputs.
// bf16_split inputs hold three bf16 for each channel (high part, low part, high part), against which weights
// are laid as (high, high, low): a convolution of single precision's inputs and weights on bf16 units, right
// to about 16 bits. NaN and infinity come out as the graph defines; with an odd number of samples to a bf16
// pixel oneDNN reads one of the next pixel too, so they also reach the pixel to the left. Shares the weights
// of `conv`. Errors: device, when oneDNN has no implementation or memory is out.
Result<std::unique_ptr<Convolution>> make_direct_convolution(const graph::Conv& conv, Element in, Element out,
                                                             const std::string& label);

// Products of `batch` matrices [rows][depth] with constant ones [depth][columns], all packed, sums in f32. A
// row's result does not depend on the other rows.
class BatchedProduct {
 public:
  // Rows that one product may have: code exists for these numbers. Odd, so that matrices do not lie a
  // multiple of 4 KiB apart, where they would fall into the same lines of the first-level cache; and 5 modulo
  // 6, because oneDNN's AVX2 code takes six rows at a time and computes a remainder of one to three in
  // another order.
  static constexpr std::array<int, 5> kRowCounts = {11, 29, 41, 65, 95};

  // constants: [batch][depth][columns], rounded to bf16 if the inputs are (f32 or bf16). Errors: device.
  static Result<std::unique_ptr<BatchedProduct>> create(int batch, int depth, int columns,
                                                        std::span<const float> constants, Element in,
                                                        const std::string& label);
  virtual ~BatchedProduct() = default;

  // How many threads will call run(). Errors: device.
  virtual Status prepare(int workers) = 0;
  // in [batch][rows][depth] -> out [batch][rows][columns] in the calling thread, which is number `worker`;
  // rows is one of kRowCounts. Errors: device.
  virtual Status run(int worker, int rows, const std::byte* in, float* out) = 0;
  // oneDNN's name of the implementation.
  [[nodiscard]] virtual std::string implementation() const = 0;
};

// "oneDNN 2.6.3"; the instruction set that it uses ("avx512_core_bf16"); whether that multiplies bf16 in
// hardware, and whether by AMX.
std::string onednn_version();
std::string onednn_isa();
bool onednn_has_bf16();
bool onednn_has_amx();

}  // namespace upres::session::cpu
