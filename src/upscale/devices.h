// The devices of this machine, and the rule by which one is chosen.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vkc/instance.h>

#include "base/error.h"
#include "base/log.h"
#include "kernels/device_info.h"

namespace upres::upscale {

inline constexpr std::string_view kCpuKind = "cpu";

// One device, usable or not. For the CPU, `info` has kind "cpu", the processor's name, no uuid, and as driver
// the library that computes on it; its limits tell nothing.
struct DeviceEntry {
  int index = 0;  // as `devices` numbers them
  kernels::DeviceInfo info;
  std::vector<std::string> refusals;                 // why it cannot be used; empty: it can
  std::optional<vkc::PhysicalDevice> physical = {};  // absent for the CPU

  [[nodiscard]] bool is_cpu() const { return info.kind == kCpuKind; }
  // Discrete, integrated or virtual: what `gpu` and `auto` mean.
  [[nodiscard]] bool is_real_gpu() const;
};

struct DeviceList {
  std::vector<DeviceEntry> entries;  // GPUs in Vulkan's order, then the CPU
  std::string no_vulkan;             // why there are no GPUs at all; empty where Vulkan works
};

// Looks for devices. Never fails: a machine without Vulkan has its CPU. A build without the CPU device lists
// it as refused.
DeviceList list_devices(const Log& log = {});

// One line: "1: NVIDIA H200 (discrete, NVIDIA 580.159.04)", with why it is refused.
std::string describe(const DeviceEntry& entry);

// The device that `selector` names: "auto" (best real GPU: discrete, integrated, virtual; else the CPU),
// "cpu", "gpu" (best real GPU), "gpu:N" (the N-th real GPU of the list, from 0), a UUID (with or without
// hyphens), or part of a name; case never matters. What drivers add to a name in parentheses is no part of
// it, and a number alone names nothing. Of several that fit a name the first usable real GPU is taken, else
// the first usable device. Errors: device, with every device as a reason, when none fits or what fits is
// refused.
Result<DeviceEntry> choose_device(const DeviceList& devices, std::string_view selector);

}  // namespace upres::upscale
