// What every kernel must compute, as data: one operator, its sizes, random inputs, and how far a device may
// be from the reference. The device tests and `upres doctor` run the same list, with whatever kernel computes
// the operator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "graph/graph.h"
#include "kernels/kernel.h"
#include "kernels/reference.h"

namespace upres::kernels {

// How far an output sample may be from the reference's.
struct Tolerance {
  double absolute = 0;  // f32 samples and the range in the statistics
  double relative = 0;  // f32 samples, of the reference's magnitude, added to `absolute`
  int levels = 0;       // integer samples
  std::string_view reason;
};

struct KernelCase {
  std::string line;    // says what it is, unique, and with the seed reproduces it: "conv 3->5 3x3 ... 13x11"
  uint64_t seed = 0;   // of inputs and weights
  graph::Graph graph;  // one node
  std::vector<Extent> extents;  // of the graph's inputs
  JobWindow window;             // for Resample
  Tolerance tolerance;
  bool with_specials = false;  // some input samples are NaN, infinite or zero of either sign

  [[nodiscard]] const graph::Node& node() const { return graph.nodes().front(); }
};

// Cases for every operator that a kernel of the table computes, at awkward sizes: one sample, one row, one
// column, primes, and one less than, exactly, and one more than a group of this size. `seed` changes the
// random data of all of them.
std::vector<KernelCase> kernel_cases(const GroupSize& group, uint64_t seed = 0);

// Whether no graph but a plan's has such an operator: devices without plans, the CPU, do not compute it.
bool only_plans_make(const graph::Operator& op);

// A case of this very convolution, or pair of them, weights included.
KernelCase conv_case(const graph::Operator& op, const Extent& extent);

inline constexpr int kBfloat16Bits = 8;
inline constexpr int kHalfBits = 11;

// Widens the tolerance of a convolution to what rounding its inputs and weights to this many bits can cost:
// with 8 bits each product is off by one part in 2^8 of its magnitude, so a sum by that part of the
// magnitudes' sum; an output by 2^-8 of itself. Other operators are computed in f32 all the same and keep
// their tolerance.
void allow_rounding(KernelCase& test, int significand_bits);

// Widens the tolerance of a convolution further, to what sums in half precision cost: each of the `terms`
// sums is rounded by up to 2^-11 of itself, one way or the other, so that errors add up like a random walk:
// sqrt(terms)
// * 2^-11 of a sum's usual size, that is the length of the weights' vector times the largest input, four
// times. (64 channels of 3 x 3: a root mean square of 2.5e-3 of the output's, the worst sample 2e-2.)
void allow_half_sums(KernelCase& test);

// Random inputs of the case, packed: integer pixels over their whole range, planes from -0.25 to 1.25.
std::vector<Tensor> case_inputs(const KernelCase& test);

// Extents of every value of the case's graph. Errors: as graph::infer_extents.
Result<std::vector<Extent>> case_extents(const KernelCase& test);

// What the reference computes. Errors: as run_reference.
Result<std::vector<Tensor>> case_expected(const KernelCase& test, std::span<const Tensor> inputs);

struct Comparison {
  double largest_difference = 0;  // in the unit of the output: levels of integers, else the sample's
  std::string mismatch;           // the first sample beyond the tolerance; empty: none
  [[nodiscard]] bool ok() const { return mismatch.empty(); }
};

// Compares the outputs of a kernel (packed) with the reference's. NaN must be where the reference has NaN,
// infinities and counts of the statistics must be equal.
Comparison compare_outputs(const KernelCase& test, std::span<const Tensor> expected,
                           std::span<const Tensor> actual);

}  // namespace upres::kernels
