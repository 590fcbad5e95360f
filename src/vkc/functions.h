// The Vulkan entry points that vkc uses, loaded at run time. One list per level; names without the "vk".
#pragma once

#include "vkc/vulkan_api.h"

namespace vkc::detail {

#define VKC_GLOBAL_FUNCTIONS(X)           \
  X(CreateInstance)                       \
  X(EnumerateInstanceExtensionProperties) \
  X(EnumerateInstanceLayerProperties)     \
  X(EnumerateInstanceVersion)

#define VKC_INSTANCE_FUNCTIONS(X)           \
  X(CreateDevice)                           \
  X(DestroyInstance)                        \
  X(EnumerateDeviceExtensionProperties)     \
  X(EnumeratePhysicalDevices)               \
  X(GetDeviceProcAddr)                      \
  X(GetPhysicalDeviceFeatures2)             \
  X(GetPhysicalDeviceFormatProperties)      \
  X(GetPhysicalDeviceImageFormatProperties) \
  X(GetPhysicalDeviceMemoryProperties2)     \
  X(GetPhysicalDeviceProperties)            \
  X(GetPhysicalDeviceProperties2)           \
  X(GetPhysicalDeviceQueueFamilyProperties)

// Of VK_EXT_debug_utils and VK_KHR_cooperative_matrix; null without them.
#define VKC_INSTANCE_OPTIONAL_FUNCTIONS(X)           \
  X(CreateDebugUtilsMessengerEXT)                    \
  X(DestroyDebugUtilsMessengerEXT)                   \
  X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR) \
  X(SetDebugUtilsObjectNameEXT)

#define VKC_DEVICE_FUNCTIONS(X)      \
  X(AllocateCommandBuffers)          \
  X(AllocateDescriptorSets)          \
  X(AllocateMemory)                  \
  X(BeginCommandBuffer)              \
  X(BindBufferMemory)                \
  X(BindImageMemory)                 \
  X(CmdBindDescriptorSets)           \
  X(CmdBindPipeline)                 \
  X(CmdCopyBuffer)                   \
  X(CmdCopyBufferToImage)            \
  X(CmdCopyImage)                    \
  X(CmdCopyImageToBuffer)            \
  X(CmdDispatch)                     \
  X(CmdFillBuffer)                   \
  X(CmdPipelineBarrier)              \
  X(CmdPushConstants)                \
  X(CmdResetQueryPool)               \
  X(CmdWriteTimestamp)               \
  X(CreateBuffer)                    \
  X(CreateCommandPool)               \
  X(CreateComputePipelines)          \
  X(CreateDescriptorPool)            \
  X(CreateDescriptorSetLayout)       \
  X(CreateDescriptorUpdateTemplate)  \
  X(CreateFence)                     \
  X(CreateImage)                     \
  X(CreateImageView)                 \
  X(CreatePipelineCache)             \
  X(CreatePipelineLayout)            \
  X(CreateQueryPool)                 \
  X(CreateSampler)                   \
  X(CreateSemaphore)                 \
  X(CreateShaderModule)              \
  X(DestroyBuffer)                   \
  X(DestroyCommandPool)              \
  X(DestroyDescriptorPool)           \
  X(DestroyDescriptorSetLayout)      \
  X(DestroyDescriptorUpdateTemplate) \
  X(DestroyDevice)                   \
  X(DestroyFence)                    \
  X(DestroyImage)                    \
  X(DestroyImageView)                \
  X(DestroyPipeline)                 \
  X(DestroyPipelineCache)            \
  X(DestroyPipelineLayout)           \
  X(DestroyQueryPool)                \
  X(DestroySampler)                  \
  X(DestroySemaphore)                \
  X(DestroyShaderModule)             \
  X(EndCommandBuffer)                \
  X(FlushMappedMemoryRanges)         \
  X(FreeMemory)                      \
  X(GetBufferMemoryRequirements)     \
  X(GetImageMemoryRequirements)      \
  X(GetDeviceQueue)                  \
  X(GetPipelineCacheData)            \
  X(GetQueryPoolResults)             \
  X(InvalidateMappedMemoryRanges)    \
  X(MapMemory)                       \
  X(MergePipelineCaches)             \
  X(QueueSubmit)                     \
  X(QueueWaitIdle)                   \
  X(ResetCommandPool)                \
  X(ResetDescriptorPool)             \
  X(ResetFences)                     \
  X(UpdateDescriptorSetWithTemplate) \
  X(WaitForFences)

// Of VK_KHR_push_descriptor and VK_KHR_pipeline_executable_properties; used only where these are enabled.
#define VKC_DEVICE_OPTIONAL_FUNCTIONS(X) \
  X(CmdPushDescriptorSetWithTemplateKHR) \
  X(GetPipelineExecutablePropertiesKHR)  \
  X(GetPipelineExecutableStatisticsKHR)

#define VKC_MEMBER(name) PFN_vk##name name = nullptr;

struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  VKC_GLOBAL_FUNCTIONS(VKC_MEMBER)
};

struct InstanceFunctions {
  VKC_INSTANCE_FUNCTIONS(VKC_MEMBER)
  VKC_INSTANCE_OPTIONAL_FUNCTIONS(VKC_MEMBER)
};

struct DeviceFunctions {
  VKC_DEVICE_FUNCTIONS(VKC_MEMBER)
  VKC_DEVICE_OPTIONAL_FUNCTIONS(VKC_MEMBER)
};

#undef VKC_MEMBER

// Each returns the name of the first obligatory function that is missing, null if all are there.
const char* load_functions(PFN_vkGetInstanceProcAddr get, GlobalFunctions& functions);
const char* load_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance, InstanceFunctions& functions);
const char* load_functions(PFN_vkGetDeviceProcAddr get, VkDevice device, DeviceFunctions& functions);

}  // namespace vkc::detail
