// The CPU device: convolutions by oneDNN, pixel operators vectorised with highway, rows in rolling bands.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "graph/graph.h"
#include "session/session.h"

namespace upres::session {

enum class CpuPrecision {
  fp32,
  bf16,  // tensors between convolutions in bfloat16, sums in fp32; first layer, colours and output stay fp32
};

struct CpuOptions {
  CpuPrecision precision = CpuPrecision::fp32;
  int threads = 0;  // of OpenMP, for everything this session does; 0: as many as the process has cores
  int band_rows =
      0;  // input rows computed at a time; 0: chosen for the processor's caches. Results do not depend on it
};

// Runs any graph that graph::verify_runnable accepts. Jobs are computed inside submit(), one at a time;
// wait() hands the report over. Results do not depend on threads or band height, and those of a pixel not on
// the window around it. Memory beyond the caller's tensors is a few hundred rows' worth of the widest layer,
// whatever the picture's height.
//
// NaN and infinity are never hidden: where the input, a weight or a tensor on the way holds one, and the
// graph's definition therefore gives samples that are not finite, this session's are not finite either, so
// that the statistics of Decode count them. Exceptions: products of a weight with padding are not made,
// whatever the weight; and which sums overflow depends on the order of their terms. Samples may be NaN where
// the definition says infinity, or says 0 because ReLU cuts minus infinity off; with bf16 and an odd number
// of channels the pixel to the left may be hit too.
class CpuSession final : public Session {
 public:
  // Packs the weights. Errors: device (bf16 on a processor without it, out of memory), model (not runnable).
  static Result<std::unique_ptr<CpuSession>> create(graph::Graph graph, const CpuOptions& options, Log log);
  ~CpuSession() override;
  CpuSession(const CpuSession&) = delete;
  CpuSession& operator=(const CpuSession&) = delete;

  [[nodiscard]] const graph::Graph& graph() const override;
  [[nodiscard]] std::string device_name() const override;
  [[nodiscard]] std::string precision() const override;
  [[nodiscard]] int slots() const override { return 1; }
  [[nodiscard]] MemoryUse memory_use() const override;
  Result<std::string> describe(std::span<const Extent> inputs, const Extent& resampled) override;
  Result<Ticket> submit(const Job& job) override;
  Result<JobReport> wait(Ticket ticket) override;

 private:
  class Impl;
  explicit CpuSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace upres::session
