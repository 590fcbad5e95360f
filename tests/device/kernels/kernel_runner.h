// Runs one kernel on one device for a test, between guards: every buffer lies between regions of poison,
// outputs hold poison before the kernel runs, and whatever the kernel touches beyond its tensors is found.
#pragma once

#include <vkc/vkc.h>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "kernels/cases.h"
#include "kernels/kernel.h"

namespace upres::kernels {

// How a case is to be run.
struct RunOptions {
  std::vector<Tuning> tuning;
  Selection selection = {};  // type and storages
  uint32_t dispatches = 1;   // the rows are cut into that many ranges of unequal height
};

class KernelRunner {
 public:
  KernelRunner(vkc::Device device, DeviceInfo info) : device_(std::move(device)), info_(std::move(info)) {}

  [[nodiscard]] const DeviceInfo& device_info() const { return info_; }

  // Outputs, packed, in the graph's order. Errors: device (whatever vkc reports; a guard or an input that
  // changed, named).
  Result<std::vector<Tensor>> run(const Kernel& kernel, const KernelCase& test,
                                  std::span<const Tensor> inputs, const RunOptions& options);

 private:
  Result<vkc::Kernel> compiled(const KernelChoice& choice);

  vkc::Device device_;
  DeviceInfo info_;
  std::map<std::string, vkc::Kernel> compiled_;  // by everything in the choice
};

}  // namespace upres::kernels
