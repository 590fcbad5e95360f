// A graph made ready on a Vulkan device. It decides nothing but pace: what runs is in the plan, and how much
// of it goes into one submit follows from what ran before.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <vkc/device.h>

#include "base/error.h"
#include "base/log.h"
#include "plan/plan.h"
#include "session/session.h"

namespace upres::session {

struct GpuOptions {
  // Jobs in flight, 1 to 16. Each has its own memory: input, output and scratch of the largest window so far.
  int slots = 2;
  // The most device time that one submit is meant to take, so that no watchdog fires: above 0. The same bits
  // come out whatever it is. A step is cut into ranges of rows, at least one row (of groups) each.
  double max_submit_ms = 250;
  // Threads that copy large pictures between the caller's memory and the device's, the caller's own among
  // them: 0 for as many as there are cores, at most 8.
  int copy_threads = 0;
  // Fills scratch and output memory with NaN before each job: what a kernel reads without having written
  // shows up. For tests; slow.
  bool poison = false;
  // Asks the driver for registers and spills of each kernel (StepTime::facts), where it tells. What its
  // caches hold may be compiled anew.
  bool statistics = false;
  // Copies inputs and outputs also where host and device share their memory, as a device with memory of its
  // own needs. For tests.
  bool always_copy = false;
  // For tests: this submit of the session, counted from 0, fails as if the device had been lost. Negative:
  // none.
  int fail_at_submit = -1;
};

// Owns the weights on the device, one compiled kernel per choice, memory for `slots` jobs and the plans of
// the last few window sizes. Thread rule: see Session; sessions of several threads may share one vkc::Device.
// Destruction waits for jobs in flight, also those that nobody waited for.
class GpuSession final : public Session {
 public:
  // Compiles the kernels and uploads the weights. `chosen` must have been made for this device (device_info).
  // Errors: usage (an option out of range), device (a kernel that the device refuses, out of memory, device
  // lost).
  static Result<std::unique_ptr<GpuSession>> create(vkc::Device device,
                                                    std::shared_ptr<const plan::ChosenGraph> chosen,
                                                    const GpuOptions& options = {}, Log log = {});
  ~GpuSession() override;
  GpuSession(const GpuSession&) = delete;
  GpuSession& operator=(const GpuSession&) = delete;

  [[nodiscard]] const graph::Graph& graph() const override;
  [[nodiscard]] std::string device_name() const override;
  [[nodiscard]] std::string precision() const override;
  [[nodiscard]] int slots() const override;
  [[nodiscard]] MemoryUse memory_use() const override;
  Result<std::string> describe(std::span<const Extent> inputs, const Extent& resampled) override;

  // Copies the inputs to the device's side before it returns. Small jobs are submitted whole; of a job that
  // takes longer than max_submit_ms only the beginning is, and the rest as time allows, at the latest in
  // wait().
  Result<Ticket> submit(const Job& job) override;
  Result<JobReport> wait(Ticket ticket) override;

 private:
  struct Impl;
  explicit GpuSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace upres::session
