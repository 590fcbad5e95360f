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
  if (!entry) return tl::unexpected(entry.error());
  upscale::DeviceOptions device_options;
  device_options.threads = options.threads;
  device_options.kernel = options.kernel;
  device_options.cache = cache_of(options);
  return upscale::Device::open(*entry, device_options, console.log());
}

void announce(Console& console, const std::string& command, const upscale::Device& device,
              const std::string& model, upscale::Precision precision) {
  const std::string precision_name(upscale::name(precision));
  console.event("start", {{"command", command},
                          {"version", upscale::kVersion},
                          {"device", device.info().name},
                          {"driver", device.info().driver},
                          {"model", model},
                          {"precision", precision_name}});
  console.detail(device.info().name + " (" + device.info().driver + "), model " + model + ", " +
                 precision_name);
}

int report_failure(Console& console, const Error& error) {
  const int code = error.code == ErrorCode::cancelled ? signal_exit_code() : exit_code(error.code);
  console.event("failed", {{"input", nullptr}, {"code", code}, {"message", error.text()}});
  console.error(error);
  return code;
}

}  // namespace upres::cli
