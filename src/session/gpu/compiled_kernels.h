// The kernels of a chosen graph, compiled for a device.
#pragma once

#include <vkc/device.h>
#include <vkc/kernel.h>

#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "plan/plan.h"

namespace upres::session {

// One kernel per node, by node index; nodes with the same module, constants and group size share one. Errors:
// device (the device refuses it; the node is named).
Result<std::vector<vkc::Kernel>> compile_kernels(const vkc::Device& device, const plan::ChosenGraph& chosen,
                                                 const Log& log);

}  // namespace upres::session
