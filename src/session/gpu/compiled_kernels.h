// The kernels of a chosen graph, compiled for a device.
#pragma once

#include <vkc/device.h>
#include <vkc/kernel.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "plan/plan.h"
#include "session/session.h"

namespace upres::session {

// The kernel of a choice. node: for messages. statistics: asks the driver to keep them. Errors: device (the
// device refuses it).
Result<vkc::Kernel> compile_kernel(const vkc::Device& device, const kernels::KernelChoice& choice,
                                   std::string_view node, bool statistics = false);

// A hash of all compiled modules of a kernel, whatever the variant: a measurement of one holds for no other.
uint64_t module_hash(std::string_view kernel);

// One kernel per node, by node index; nodes with the same module, constants and group size share one. Errors:
// device (the device refuses it; the node is named).
Result<std::vector<vkc::Kernel>> compile_kernels(const vkc::Device& device, const plan::ChosenGraph& chosen,
                                                 const Log& log, bool statistics = false);

// What is known of a kernel; registers and the like only where it was compiled with `statistics` and the
// driver tells.
KernelFacts facts_of(const vkc::Kernel& kernel);

}  // namespace upres::session
