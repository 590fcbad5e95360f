// Vulkan's own handles, for callers that mix vkc with Vulkan. The only header of vkc that needs the Vulkan
// headers.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <span>

#include <vkc/buffer.h>
#include <vkc/commands.h>
#include <vkc/device.h>
#include <vkc/image.h>
#include <vkc/instance.h>
#include <vkc/kernel.h>
#include <vkc/sampler.h>
#include <vkc/timestamps.h>

namespace vkc {

// Each handle belongs to vkc and is valid as long as the object it came from (or a copy of it) lives.
VkInstance native_handle(const Instance& instance);
VkPhysicalDevice native_handle(const PhysicalDevice& physical_device);
VkDevice native_handle(const Device& device);
VkBuffer native_handle(const Buffer& buffer);
// Between submissions it is in the layout of native_layout; whoever changes that changes it back.
VkImage native_handle(const Image& image);
VkImageView native_view(const Image& image);
// Not before the first submission that uses the image; until then its layout is undefined.
VkImageLayout native_layout(const Image& image);
VkSampler native_handle(const Sampler& sampler);
VkCommandBuffer native_handle(const Commands& commands);
VkQueryPool native_handle(const Timestamps& timestamps);
VkPipeline native_handle(const Kernel& kernel);

// The queue that vkc submits to. Of a device that vkc opened: submit to it elsewhere only while no other
// thread calls Commands::submit or Device::wait_idle; of an adopted one see NativeDevice::lock_queue.
VkQueue native_queue(const Device& device);
std::uint32_t native_queue_family(const Device& device);

// The queue for transfers; null if the device was opened without one.
VkQueue native_transfer_queue(const Device& device);

// The loader's entry for everything else.
PFN_vkGetInstanceProcAddr native_get_instance_proc_addr(const Instance& instance);

// A VkInstance that somebody else made and destroys, after everything of vkc that was made from it has gone.
struct NativeInstance {
  VkInstance instance = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  // VkApplicationInfo::apiVersion as it was given to vkCreateInstance; 1.1 at least.
  std::uint32_t api_version = VK_API_VERSION_1_1;
  // Whether VK_EXT_debug_utils was enabled: then vkc names its objects.
  bool debug_utils = false;
  // For vkc's own messages; those of the validation layer go where its owner sends them.
  LogSink log = {};
};

// Errors: invalid_argument (a null handle or function), not_supported (Vulkan 1.0), no_vulkan (a function is
// missing).
Result<Instance> adopt(const NativeInstance& native);

// A VkDevice and a queue that somebody else made and destroys, after everything of vkc that was made from it
// has gone. vkc uses nothing that was not enabled: say here what was.
struct NativeDevice {
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;  // of `queue`; it must compute
  // The features that were enabled, by vkc's names; others count as absent. Kernels that need one are
  // refused.
  DeviceFeatures features = {};
  // The extensions that were enabled, for what belongs to no feature: VK_KHR_spirv_1_4 and others.
  std::span<const char* const> extensions = {};
  // Called around each use of the queue (vkQueueSubmit, vkQueueWaitIdle), for programs that use it from other
  // threads, too. Vulkan lets one thread at a time use a queue: without these, no other thread may use it
  // during Commands::submit, Device::wait_idle, upload, download and the destruction of a Submission. They
  // must not call vkc. If lock_queue throws, the call that needed the queue fails with invalid_argument and
  // has done nothing; unlock_queue must not throw (the program would end).
  std::function<void()> lock_queue = {};
  std::function<void()> unlock_queue = {};
};

// `options.transfer_queue` has no effect. Errors: invalid_argument (a null handle or name of an extension; a
// queue family that is not there or does not compute; a feature that the device does not have, by name),
// no_device (the device cannot be used at all, see PhysicalDevice::refusals), out_of_memory, device_lost.
Result<Device> adopt(const Instance& instance, const NativeDevice& native, const DeviceOptions& options = {});

}  // namespace vkc
