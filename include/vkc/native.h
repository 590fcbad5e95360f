// Vulkan's own handles, for callers that mix vkc with Vulkan. The only header of vkc that needs the Vulkan
// headers.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include <cstdint>

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

// The queue that vkc submits to. Submit to it elsewhere only while no other thread submits through vkc.
VkQueue native_queue(const Device& device);
std::uint32_t native_queue_family(const Device& device);

// The loader's entry for everything else.
PFN_vkGetInstanceProcAddr native_get_instance_proc_addr(const Instance& instance);

}  // namespace vkc
