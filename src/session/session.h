// Named tensors in, named tensors out: one graph made ready on one device. GPU and CPU sessions have this
// interface.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "graph/graph.h"
#include "kernels/reference.h"

namespace upres::session {

// One run. Views stay valid until wait() returns; inputs and outputs in the graph's order. Types must be the
// graph's, any row stride; extents of the inputs are free, those of the outputs must be what
// graph::infer_extents says.
struct Job {
  std::vector<TensorView> inputs;
  std::vector<MutableTensorView> outputs;
  kernels::JobWindow window = {};
};

// A submitted job.
struct Ticket {
  uint64_t id = 0;
};

// What is known of a step's compiled kernel; empty where the device does not tell, as on the CPU.
struct KernelFacts {
  std::array<uint32_t, 3> group_size = {};      // zeros: not known
  std::optional<uint64_t> shared_bytes;         // of a group
  std::optional<uint64_t> registers;            // 32-bit ones of an invocation
  std::optional<uint64_t> spills;               // what did not fit them, as the driver counts
  std::optional<uint64_t> subgroups_in_flight;  // on one execution unit at once
};

struct StepTime {
  std::string node;
  std::string kernel;     // id, or the CPU library's name of its implementation
  std::string constants;  // as text, for tables
  double device_ms = -1;  // negative where it is not known
  uint64_t flops = 0;
  uint64_t bytes = 0;
  // When it began, by the device's clock, whose beginning is arbitrary but the same for all jobs on a device;
  // negative where it is not known.
  double begin_ms = -1;
  KernelFacts facts = {};
};

// Where a job's time goes beside its steps; negative where it is not known or does not happen (on the CPU,
// and where host and device share their memory). Of several jobs in flight these overlap.
struct TransferTimes {
  double host_in_ms = -1;   // the host copies inputs to memory that the device reads; host clock
  double upload_ms = -1;    // the device copies them to its own memory; device time
  double download_ms = -1;  // the device copies outputs to the host's memory; device time
  double host_out_ms = -1;  // the host copies them to the caller's; host clock
};

struct JobReport {
  double compute_ms =
      -1;  // all steps: device time by timestamps (CPU: wall time); negative where it is not known
  double total_ms = -1;  // from submit to outputs in host memory, host clock
  std::vector<StepTime> steps;
  TransferTimes transfers = {};
};

// What a session holds beyond the caller's tensors. Grows to what the largest job so far needed.
struct MemoryUse {
  uint64_t device_bytes = 0;  // Vulkan allocations, also those that lie in the host's memory
  uint64_t host_bytes = 0;    // rows and weights of the CPU device
};

// Thread rule: one session may be used from one thread at a time, different sessions (also on one device)
// from several.
class Session {
 public:
  virtual ~Session() = default;

  [[nodiscard]] virtual const graph::Graph& graph() const = 0;
  // Name of the device, and one of "fp32", "bf16", ...
  [[nodiscard]] virtual std::string device_name() const = 0;
  [[nodiscard]] virtual std::string precision() const = 0;
  // How many jobs may be in flight; submit() waits for the oldest beyond that.
  [[nodiscard]] virtual int slots() const = 0;
  [[nodiscard]] virtual MemoryUse memory_use() const = 0;
  // Steps with their kernels for inputs of this extent, for logs and bench.
  virtual Result<std::string> describe(std::span<const Extent> inputs, const Extent& resampled) = 0;

  // Begins a job. Errors: device (a limit, out of memory, device lost), model (extents that the network
  // cannot do).
  virtual Result<Ticket> submit(const Job& job) = 0;
  // Waits until the job's outputs are in the views given to submit. Each ticket once, in any order. After an
  // error the outputs hold nothing of use. Errors: device.
  virtual Result<JobReport> wait(Ticket ticket) = 0;
  // submit and wait.
  Result<JobReport> run(const Job& job);
};

}  // namespace upres::session
