// What a PhysicalDevice handle refers to, and the chain of Vulkan structs that tells and enables optional
// features.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <vkc/instance.h>

#include "spirv/module.h"
#include "vkc/instance_state.h"

namespace vkc {

struct PhysicalDevice::State {
  std::shared_ptr<detail::InstanceState> instance;
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceProperties properties;
  std::vector<std::string> refusals;
  std::set<std::string, std::less<>> extensions;  // all that the device offers
  std::uint32_t api_version = 0;                  // usable: the smaller of the device's and the instance's
  spirv::Version newest_spirv{1, 3};
  std::vector<VkQueueFamilyProperties> families;
  std::uint32_t queue_family = 0;
  std::optional<std::uint32_t> transfer_family;  // of a queue that only copies
  // Most bindings that can be written straight into a recording (VK_KHR_push_descriptor); 0 without it.
  std::uint32_t max_push_descriptors = 0;
  bool matrices_in_kernels = false;  // VK_KHR_cooperative_matrix may be for other stages only
  Uuid pipeline_cache_uuid = {};
  std::uint32_t subgroup_operations =
      0;  // VkSubgroupFeatureFlags usable in kernels; 0 if not in kernels at all

  // Whether the device offers it as an extension, or has it by its version.
  [[nodiscard]] bool offers(const char* extension) const {
    return extensions.find(extension) != extensions.end();
  }
  [[nodiscard]] bool offers(const char* extension, std::uint32_t core_version) const {
    return api_version >= core_version || offers(extension);
  }
};

namespace detail {

// The feature structs of Vulkan, chained as far as the device knows them. Used to ask and to enable.
class FeatureChain {
 public:
  // Everything off, chained for this device.
  explicit FeatureChain(const PhysicalDevice::State& device);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  // Reads what the device can.
  void query(const InstanceFunctions& functions, VkPhysicalDevice device);
  // Between the structs and our names.
  [[nodiscard]] DeviceFeatures read() const;
  void enable(const DeviceFeatures& features);

  [[nodiscard]] const VkPhysicalDeviceFeatures2& head() const { return base_; }
  // Extensions that must be enabled for what is chained, beyond the device's version.
  [[nodiscard]] const std::vector<const char*>& extensions() const { return extensions_; }

 private:
  template <typename Struct>
  void chain(Struct& next) {
    *tail_ = &next;
    tail_ = &next.pNext;
  }
  // Chains a struct that came with an extension, if the device has it; later versions need no extension.
  template <typename Struct>
  void chain(const PhysicalDevice::State& device, Struct& next, const char* extension,
             std::uint32_t core_version);

  VkPhysicalDeviceFeatures2 base_ =
      vk_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  VkPhysicalDevice16BitStorageFeatures storage16_ = vk_struct<VkPhysicalDevice16BitStorageFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  VkPhysicalDevice8BitStorageFeatures storage8_ =
      vk_struct<VkPhysicalDevice8BitStorageFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES);
  VkPhysicalDeviceShaderFloat16Int8Features float16_ = vk_struct<VkPhysicalDeviceShaderFloat16Int8Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model_ =
      vk_struct<VkPhysicalDeviceVulkanMemoryModelFeatures>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size_ =
      vk_struct<VkPhysicalDeviceSubgroupSizeControlFeatures>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline_ = vk_struct<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperative_matrix_ =
      vk_struct<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
  VkPhysicalDeviceShaderClockFeaturesKHR clock_ = vk_struct<VkPhysicalDeviceShaderClockFeaturesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR shared_layout_ =
      vk_struct<VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR);
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR pipeline_statistics_ =
      vk_struct<VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
  void** tail_ = &base_.pNext;
  std::vector<const char*> extensions_;
};

// The device as somebody else opened it: with these features and extensions only, and this queue family. The
// features are among those it offers, and the family computes.
std::shared_ptr<PhysicalDevice::State> describe_opened(const PhysicalDevice::State& device,
                                                       const DeviceFeatures& features,
                                                       std::set<std::string, std::less<>> extensions,
                                                       std::uint32_t queue_family);

// The device as it is without those features.
std::shared_ptr<PhysicalDevice::State> describe_without(const PhysicalDevice::State& device,
                                                        const DeviceFeatures& unwanted);

// The features of `all` that are not in `unwanted`.
DeviceFeatures without(const DeviceFeatures& all, const DeviceFeatures& unwanted);

// Names of the features that `wanted` has and `offered` lacks.
std::vector<std::string> missing_features(const DeviceFeatures& wanted, const DeviceFeatures& offered);

// Everything about one device; never fails, because problems are refusals.
std::shared_ptr<PhysicalDevice::State> describe_device(std::shared_ptr<InstanceState> instance,
                                                       VkPhysicalDevice handle);

}  // namespace detail
}  // namespace vkc
