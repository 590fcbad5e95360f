#include "upscale/api/handles.h"
#include "upscale/api/no_exceptions.h"
#include "upscale/api/request.h"
#include "upscale/devices.h"
#include "upscale/threads.h"
#include "upscale/version.h"

namespace upres {
namespace {

DeviceDescription description_of(const upscale::DeviceEntry& entry) {
  return {entry.info.name, entry.info.kind, entry.info.uuid, entry.info.driver, entry.refusals};
}

Result<Device> open_device(std::string_view selector, const DeviceOptions& options, const Log& log) {
  if (options.threads < 0 || options.threads > upscale::kMaxThreads) {
    return fail(ErrorCode::usage, "threads " + std::to_string(options.threads) + " is not within 0 to " +
                                      std::to_string(upscale::kMaxThreads) +
                                      "; 0 means as many as there are cores");
  }
  if (auto checked = check_name(selector, "the device's name"); !checked) return propagate(checked);
  if (!options.cache_folder.empty()) {
    if (auto checked = check_path(options.cache_folder, "the cache folder"); !checked)
      return propagate(checked);
  }
  const auto entry = upscale::choose_device(upscale::list_devices(log), selector);
  if (!entry) return tl::unexpected(entry.error());
  upscale::DeviceOptions inner;
  inner.threads = options.threads;
  inner.kernel = options.kernel;
  if (!options.cache_folder.empty()) inner.cache = upscale::Cache(options.cache_folder);
  auto device = upscale::Device::open(*entry, inner, log);
  if (!device) return propagate(device);
  return Device(
      std::make_shared<const Device::Impl>(Device::Impl{std::move(*device), description_of(*entry)}));
}

}  // namespace

std::string_view library_version() { return upscale::kVersion; }

Result<std::vector<DeviceDescription>> list_devices(const Log& log) {
  return without_exceptions([&]() -> Result<std::vector<DeviceDescription>> {
    std::vector<DeviceDescription> descriptions;
    for (const upscale::DeviceEntry& entry : upscale::list_devices(log).entries)
      descriptions.push_back(description_of(entry));
    return descriptions;
  });
}

Result<Device> Device::open(std::string_view selector, const DeviceOptions& options, const Log& log) {
  return without_exceptions([&] { return open_device(selector, options, log); });
}

const DeviceDescription& Device::description() const { return impl_->description; }

bool Device::is_cpu() const { return impl_->device.is_cpu(); }

}  // namespace upres
