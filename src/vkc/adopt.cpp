// Instances and devices that somebody else made.
#include <vkc/native.h>

#include "vkc/device_state.h"

namespace vkc {
namespace detail {
namespace {

std::string version_text(std::uint32_t version) {
  return to_text(
      Version{VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version)});
}

Status check_handles(const NativeDevice& native) {
  const auto missing = [](const std::string& what) {
    return fail(ErrorCode::invalid_argument, "adopting a device: " + what + " is null");
  };
  if (native.physical_device == VK_NULL_HANDLE) return missing("physical_device");
  if (native.device == VK_NULL_HANDLE) return missing("device");
  if (native.queue == VK_NULL_HANDLE) return missing("queue");
  for (std::size_t i = 0; i < native.extensions.size(); ++i) {
    if (native.extensions[i] == nullptr) return missing("extensions[" + std::to_string(i) + "]");
  }
  return {};
}

Status check_against(const PhysicalDevice::State& device, const NativeDevice& native) {
  const std::string what = "adopting " + device.properties.name;
  if (!device.refusals.empty())
    return fail(ErrorCode::no_device, what + ": it cannot be used", device.refusals);
  const std::string family = what + ": queue family " + std::to_string(native.queue_family);
  if (native.queue_family >= device.families.size()) {
    return fail(ErrorCode::invalid_argument,
                family + ": there are " + std::to_string(device.families.size()));
  }
  if ((device.families[native.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0)
    return fail(ErrorCode::invalid_argument, family + " does not compute");
  const auto missing = missing_features(native.features, device.properties.features);
  if (!missing.empty())
    return fail(ErrorCode::invalid_argument, what + ": it does not have the feature " + missing.front());
  return {};
}

}  // namespace
}  // namespace detail

Result<Instance> adopt(const NativeInstance& native) {
  if (native.instance == VK_NULL_HANDLE || native.get_instance_proc_addr == nullptr) {
    return detail::fail(ErrorCode::invalid_argument,
                        "adopting an instance: instance or get_instance_proc_addr is null");
  }
  if (native.api_version < VK_API_VERSION_1_1) {
    return detail::fail(ErrorCode::not_supported, "adopting an instance made for Vulkan " +
                                                      detail::version_text(native.api_version) +
                                                      ": set VkApplicationInfo::apiVersion to 1.1 or newer");
  }
  auto state = std::make_shared<detail::InstanceState>(nullptr, native.log);
  state->owned = false;
  state->handle = native.instance;
  state->api_version = native.api_version;
  state->global.GetInstanceProcAddr = native.get_instance_proc_addr;
  if (const char* missing =
          detail::load_functions(native.get_instance_proc_addr, native.instance, state->functions)) {
    return detail::fail(ErrorCode::no_vulkan, "the adopted instance lacks " + std::string(missing));
  }
  if (!native.debug_utils) state->functions.SetDebugUtilsObjectNameEXT = nullptr;
  return Instance(std::move(state));
}

Result<Device> adopt(const Instance& instance, const NativeDevice& native, const DeviceOptions& options) {
  if (auto ok = detail::check_handles(native); !ok) return detail::propagate(ok);
  const auto offered = detail::describe_device(instance.state(), native.physical_device);
  if (auto ok = detail::check_against(*offered, native); !ok) return detail::propagate(ok);
  std::set<std::string, std::less<>> extensions(native.extensions.begin(), native.extensions.end());
  const PhysicalDevice opened(
      detail::describe_opened(*offered, native.features, std::move(extensions), native.queue_family));
  auto state = std::make_shared<detail::DeviceState>(opened);
  state->compute_queue.lock_shared = native.lock_queue;
  state->compute_queue.unlock_shared = native.unlock_queue;
  if (auto adopted = state->adopt(native.device, native.queue, options); !adopted)
    return detail::propagate(adopted);
  return Device(std::move(state));
}

}  // namespace vkc
