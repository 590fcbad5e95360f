// Every kernel on a device against its plain reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "upscale/device.h"

namespace upres::upscale {

// One kernel (on the CPU one operator) over all its cases.
struct KernelCheck {
  std::string kernel;
  std::string variant;  // "fp32"
  int cases = 0;
  bool ok = true;
  double max_error = 0;     // largest difference of any sample, in its unit (levels for integers)
  double limit = 0;         // absolute tolerance of that case, in the same unit
  std::string first_wrong;  // the case that failed first, with why; empty: none
};

// Runs the cases of kernels/cases.h, each as a graph of one node, with whatever kernel the device chooses for
// it: on a GPU also at the edges of the workgroups that each kernel uses on that device. A case that cannot
// be run counts as wrong. `cancelled` is asked between cases; the checks so far are then lost. Errors:
// cancelled.
Result<std::vector<KernelCheck>> check_kernels(const Device& device, Precision precision,
                                               const std::function<bool()>& cancelled = {});

}  // namespace upres::upscale
