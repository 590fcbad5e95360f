// What vkc knows of a device, as the plain struct that kernels and plans are chosen by.
#pragma once

#include <vkc/instance.h>

#include "kernels/device_info.h"

namespace upres::session {

// Limits and features as the driver tells them; the memory budget is that of this moment, for the largest
// device-local heap (half of it where the driver does not tell). `kind` is "discrete", "integrated",
// "virtual", "software", "other"; `driver` is name and version, "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)". Any
// thread.
kernels::DeviceInfo device_info(const vkc::PhysicalDevice& device);

}  // namespace upres::session
