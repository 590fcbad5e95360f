#include "upscale/device.h"

#include <fmt/format.h>

#include <utility>

#include "base/display_name.h"
#include "kernels/kernel.h"
#include "session/gpu/gpu_session.h"
#include "upscale/cpu_device.h"
#include "upscale/version.h"

namespace upres::upscale {
namespace {

Error from_vkc(const vkc::Error& error) { return {ErrorCode::device, error.message, error.reasons}; }

}  // namespace

Status check_kernel(const std::string& id, bool is_cpu) {
  if (id.empty()) return {};
  const auto chosen = kernels::find_kernel(id);
  if (chosen == nullptr || chosen->family() != "conv") {
    std::string known;
    for (const kernels::Kernel* kernel : kernels::all_kernels()) {
      if (kernel->family() == "conv") known += fmt::format(" {}", kernel->id());
    }
    return fail(ErrorCode::usage,
                fmt::format("there is no convolution kernel '{}'; there are:{}", display_name(id), known));
  }
  if (!is_cpu) return {};
  return fail(
      ErrorCode::device,
      fmt::format("kernel {} runs on GPUs; the CPU device has its own (name none, or choose a GPU)", id));
}

Device::Device(DeviceEntry entry, DeviceOptions options, std::optional<vkc::Device> gpu, Log log)
    : entry_(std::move(entry)), options_(std::move(options)), gpu_(std::move(gpu)), log_(std::move(log)) {
  if (gpu_) {
    tunings_ = std::make_shared<Tunings>(options_.cache, entry_.info,
                                         tuning_key(entry_.info, gpu_->properties()), log_);
  }
}

Result<Device> Device::open(const DeviceEntry& entry, const DeviceOptions& options, Log log) {
  if (auto checked = check_kernel(options.kernel, entry.is_cpu()); !checked) return propagate(checked);
  if (entry.is_cpu()) return Device(entry, options, std::nullopt, std::move(log));
  vkc::DeviceOptions gpu_options;
  gpu_options.pipeline_cache_folder = options.cache.folder();
  auto gpu = vkc::Device::open(*entry.physical, gpu_options);
  if (!gpu) return tl::unexpected(from_vkc(gpu.error()).in_context(entry.info.name + " cannot be opened"));
  return Device(entry, options, std::move(*gpu), std::move(log));
}

Result<std::shared_ptr<const plan::ChosenGraph>> Device::choose_kernels(const graph::Graph& graph,
                                                                        Precision precision) const {
  const DType dtype = precision == Precision::fp16 ? DType::f16 : DType::f32;
  return plan::choose_kernels(graph, entry_.info, *tunings_->database(), {options_.kernel, dtype});
}

Result<std::unique_ptr<session::Session>> Device::make_gpu_session(const graph::Graph& graph,
                                                                   Precision precision) const {
  auto chosen = choose_kernels(graph, precision);
  if (!chosen) return propagate(chosen);
  session::GpuOptions options;
  options.slots = options_.slots;
  options.copy_threads = options_.threads;
  options.statistics = options_.statistics;
  auto session = session::GpuSession::create(*gpu_, std::move(*chosen), options, log_);
  if (!session) return propagate(session);
  return std::unique_ptr<session::Session>(std::move(*session));
}

Device Device::with_kernel(std::string_view kernel) const {
  Device other = *this;
  other.options_.kernel = kernel;
  return other;
}

Device Device::with_statistics() const {
  Device other = *this;
  other.options_.statistics = true;
  return other;
}

Result<std::unique_ptr<session::Session>> Device::make_session(const graph::Graph& graph,
                                                               Precision precision) const {
  return is_cpu() ? make_cpu_session(graph, precision, options_.threads, log_)
                  : make_gpu_session(graph, precision);
}

std::string Device::cache_key() const {
  return fmt::format("{} {} {} upres {}", info().name, info().uuid, info().driver, kVersion);
}

// What the device can do besides fp32.
std::optional<Precision> Device::faster_precision() const {
  if (is_cpu()) return cpu_has_bf16() ? std::optional(Precision::bf16) : std::nullopt;
  const kernels::DeviceLimits& limits = info().limits;
  return limits.fp16_storage && limits.fp16_arithmetic ? std::optional(Precision::fp16) : std::nullopt;
}

Result<Precision> Device::resolve(Precision wanted, const graph::Graph& network) const {
  if (wanted == Precision::fp32) return wanted;
  const auto faster = faster_precision();
  if (wanted == Precision::automatic) {
    // A processor that plays GPU converts to and from fp16 sample by sample.
    if (!faster || info().kind == "software") return Precision::fp32;
    const auto make = [this](const graph::Graph& graph, Precision precision) {
      return make_session(graph, precision);
    };
    return choose_precision(network, *faster, cache_key(), make, options_.cache, log_);
  }
  if (wanted == faster) return wanted;
  return fail(ErrorCode::device,
              fmt::format("{} computes in {}, not in {}; use auto or fp32", info().name,
                          faster ? fmt::format("fp32 and {}", name(*faster)) : "fp32 only", name(wanted)));
}

}  // namespace upres::upscale
