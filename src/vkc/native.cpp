#include <vkc/native.h>

#include "vkc/buffer_state.h"
#include "vkc/commands_state.h"
#include "vkc/image_state.h"
#include "vkc/kernel_state.h"
#include "vkc/sampler_state.h"
#include "vkc/timestamps_state.h"

namespace vkc {

VkInstance native_handle(const Instance& instance) { return instance.state()->handle; }
VkPhysicalDevice native_handle(const PhysicalDevice& physical_device) {
  return physical_device.state()->handle;
}
VkDevice native_handle(const Device& device) { return device.state()->handle; }
VkBuffer native_handle(const Buffer& buffer) { return buffer.state()->handle; }
VkImage native_handle(const Image& image) { return image.state()->handle; }
VkImageView native_view(const Image& image) { return image.state()->view; }
VkImageLayout native_layout(const Image& image) { return image.state()->home; }
VkSampler native_handle(const Sampler& sampler) { return sampler.state()->handle; }
VkCommandBuffer native_handle(const Commands& commands) { return commands.state()->handle; }
VkQueryPool native_handle(const Timestamps& timestamps) { return timestamps.state()->handle; }
VkPipeline native_handle(const Kernel& kernel) { return kernel.state()->pipeline; }
VkQueue native_queue(const Device& device) { return device.state()->compute_queue.handle; }
std::uint32_t native_queue_family(const Device& device) { return device.state()->compute_queue.family; }
VkQueue native_transfer_queue(const Device& device) { return device.state()->transfer_queue.handle; }
PFN_vkGetInstanceProcAddr native_get_instance_proc_addr(const Instance& instance) {
  return instance.state()->global.GetInstanceProcAddr;
}

}  // namespace vkc
