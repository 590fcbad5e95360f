#include "compute.h"

#include "exit_code.h"
#include "signals.h"
#include "upscale/devices.h"
#include "upscale/threads.h"
#include "upscale/version.h"

namespace upres::cli {

Result<upscale::Device> open_device(const ComputeOptions& options, Console& console) {
  upscale::set_threads(options.threads);
  const auto entry = upscale::choose_device(upscale::list_devices(console.log()), options.device);
  if (!entry) return tl::unexpected(entry.error().in_context("--device"));
  if (auto checked = upscale::check_kernel(options.kernel, entry->is_cpu()); !checked)
    return propagate(checked, "--kernel");
  upscale::DeviceOptions device_options;
  device_options.threads = options.threads;
  device_options.kernel = options.kernel;
  device_options.cache = cache_of(options);
  auto device = upscale::Device::open(*entry, device_options, console.log());
  if (!device || options.precision == upscale::Precision::automatic) return device;
  // What was asked for does not depend on the network.
  if (const auto can = device->resolve(options.precision, {}); !can)
    return tl::unexpected(can.error().in_context("--precision"));
  return device;
}

Error in_tile_context(const Error& error, const ComputeOptions& options) {
  const bool is_about_tiles = options.tile_px && error.code == ErrorCode::usage;
  return is_about_tiles ? error.in_context("--tile") : error;
}

void announce(Console& console, const std::string& command, const upscale::Device& device,
              const std::string& model, std::optional<upscale::Precision> precision) {
  const std::string precision_name(precision ? upscale::name(*precision) : "");
  console.event("start", {{"command", command},
                          {"version", upscale::kVersion},
                          {"device", device.info().name},
                          {"driver", device.info().driver},
                          {"model", model.empty() ? Json(nullptr) : Json(model)},
                          {"precision", precision ? Json(precision_name) : Json(nullptr)}});
  console.detail("device " + device.info().name + " (" + device.info().driver + ")" +
                 (model.empty() ? "" : ", model " + model) + (precision ? ", " + precision_name : ""));
}

int report_failure(Console& console, const Error& error) {
  const int code = error.code == ErrorCode::cancelled ? signal_exit_code() : exit_code(error.code);
  console.event("failed", {{"input", nullptr}, {"code", code}, {"message", error.text()}});
  console.error(error);
  return code;
}

}  // namespace upres::cli
