// One node of the graph made ready for the CPU, computing any range of rows of its outputs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"
#include "kernels/reference.h"
#include "session/cpu/place.h"
#include "session/cpu/schedule.h"

namespace upres::session::cpu {

// What a job fixes before its first row.
struct JobShape {
  const graph::Graph& graph;
  std::span<const Extent> extents;  // of every value of the graph
  const kernels::JobWindow& window;
  int workers = 1;  // threads that will call run()
};

// How a convolution is to be computed.
struct ConvForm {
  enum class Method { direct, winograd, narrow };
  Method method = Method::direct;
  bool bf16 = false;  // products of bf16 (Winograd: of what was f32 before its transform)
  Element in = Element::f32;
  Element out = Element::f32;
};

// Thread rule: run() from several threads at a time, each with a number of its own; all else from one thread.
class Step {
 public:
  virtual ~Step() = default;

  // Ports for the node's inputs and outputs.
  [[nodiscard]] virtual std::vector<Port> inputs() const = 0;
  [[nodiscard]] virtual std::vector<Port> outputs() const = 0;
  // What the job needs beforehand: tables, scratch memory. Errors: device, out of memory.
  virtual Status prepare(const JobShape& shape) = 0;
  // Rows of input `index` that row y of the output reads, clipped to the input; neither end falls when y
  // rises.
  [[nodiscard]] virtual RowSpan rows_read(size_t index, int y) const = 0;
  // Makes what computing these rows will need and can be kept (generated code). Errors: device.
  virtual Status make_ready(const RowSpan& rows) {
    static_cast<void>(rows);
    return {};
  }
  // Bands had rather end at rows y with (y + phase) % multiple == 0.
  struct RowGrid {
    int multiple = 1;
    int phase = 0;
  };
  [[nodiscard]] virtual RowGrid row_grid() const { return {}; }
  // Computes rows [rows.begin, rows.end) of all outputs in this thread, which is number `worker` of
  // JobShape::workers. The rows that it reads exist. Errors: device.
  virtual Status run(int worker, const RowSpan& rows, std::span<const Rows> in,
                     std::span<const MutableRows> out) = 0;
  // After the last row: outputs that are no pictures (statistics).
  virtual void finish(std::span<const MutableRows> out) { static_cast<void>(out); }
  // Name of the implementation, once it has run: "brgconv:avx512_core", "hwy:AVX3".
  [[nodiscard]] virtual std::string kernel() const = 0;
};

// Errors: device, out of memory or what oneDNN cannot do; model, for an operator that must be fused into
// another first. `form` is for convolutions; other operators ignore it.
Result<std::unique_ptr<Step>> make_step(const graph::Graph& graph, const graph::Node& node,
                                        const ConvForm& form);

// A copy of f32 samples in another order or element type.
std::unique_ptr<Step> make_conversion(const Port& from, const Port& to);

}  // namespace upres::session::cpu
