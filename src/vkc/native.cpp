#include <vkc/native.h>

#include "vkc/buffer_state.h"
#include "vkc/kernel_state.h"

namespace vkc {

VkInstance native_handle(const Instance& instance) { return instance.state()->handle; }
VkPhysicalDevice native_handle(const PhysicalDevice& physical_device) {
  return physical_device.state()->handle;
}
VkDevice native_handle(const Device& device) { return device.state()->handle; }
VkBuffer native_handle(const Buffer& buffer) { return buffer.state()->handle; }
VkPipeline native_handle(const Kernel& kernel) { return kernel.state()->pipeline; }
VkQueue native_queue(const Device& device) { return device.state()->queue; }
std::uint32_t native_queue_family(const Device& device) {
  return device.state()->physical.state()->queue_family;
}
PFN_vkGetInstanceProcAddr native_get_instance_proc_addr(const Instance& instance) {
  return instance.state()->global.GetInstanceProcAddr;
}

}  // namespace vkc
