// An open device: what makes sessions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <vkc/device.h>

#include "base/error.h"
#include "base/log.h"
#include "graph/graph.h"
#include "kernels/device_info.h"
#include "plan/plan.h"
#include "session/session.h"
#include "upscale/cache.h"
#include "upscale/devices.h"
#include "upscale/precision.h"
#include "upscale/tunings.h"

namespace upres::upscale {

struct DeviceOptions {
  int threads = 0;     // of the CPU device, and those that copy for a GPU; 0: as many as there are cores
  std::string kernel;  // id of a convolution kernel to use wherever it is legal; empty: the plan's choice
  Cache cache = {};    // for compiled pipelines, measured precisions and tuned parameters
  int slots = 2;       // jobs in flight on a GPU
  bool statistics = false;  // asks the driver for registers and spills of kernels, see session::KernelFacts
};

// Whether a convolution kernel may be forced on a device: an error also where it would not be used, so that a
// misspelt one is never accepted. Empty: always. Errors: usage (there is none of that name), device (it is
// for GPUs).
Status check_kernel(const std::string& id, bool is_cpu);

// A shared handle, as vkc::Device is. Sessions keep what they need of it alive.
class Device {
 public:
  // Errors: device (it cannot be opened, or it is the CPU and a kernel is forced), usage (no kernel of that
  // name).
  static Result<Device> open(const DeviceEntry& entry, const DeviceOptions& options, Log log = {});

  [[nodiscard]] const kernels::DeviceInfo& info() const { return entry_.info; }
  [[nodiscard]] bool is_cpu() const { return entry_.is_cpu(); }
  [[nodiscard]] const DeviceOptions& options() const { return options_; }

  // The tunables that its sessions use, and where tuned ones are kept; null for the CPU. Shared by copies.
  [[nodiscard]] Tunings* tunings() const { return tunings_.get(); }

  // The open Vulkan device; null for the CPU.
  [[nodiscard]] const vkc::Device* gpu() const { return gpu_ ? &*gpu_ : nullptr; }

  // The same device with another convolution kernel wherever it is legal.
  [[nodiscard]] Device with_kernel(std::string_view kernel) const;

  // The same device, whose sessions tell what the driver knows of their kernels.
  [[nodiscard]] Device with_statistics() const;

  // Makes a graph ready in fp32 or in another form that resolve() gave. Errors: device, usage.
  [[nodiscard]] Result<std::unique_ptr<session::Session>> make_session(const graph::Graph& graph,
                                                                       Precision precision) const;

  // Kernels and parameters that a session of a GPU in this form uses. Errors: device, usage.
  [[nodiscard]] Result<std::shared_ptr<const plan::ChosenGraph>> choose_kernels(const graph::Graph& graph,
                                                                                Precision precision) const;

  // The form in which this network is computed when `wanted` is asked for; `auto` may measure (see
  // precision.h). Errors: device, when the device or this version cannot do what was asked for.
  [[nodiscard]] Result<Precision> resolve(Precision wanted, const graph::Graph& network) const;

 private:
  Device(DeviceEntry entry, DeviceOptions options, std::optional<vkc::Device> gpu, Log log);
  [[nodiscard]] Result<std::unique_ptr<session::Session>> make_gpu_session(const graph::Graph& graph,
                                                                           Precision precision) const;
  [[nodiscard]] std::optional<Precision> faster_precision() const;
  [[nodiscard]] std::string cache_key() const;

  DeviceEntry entry_;
  DeviceOptions options_;
  std::optional<vkc::Device> gpu_;  // absent for the CPU
  std::shared_ptr<Tunings> tunings_;
  Log log_;
};

}  // namespace upres::upscale
