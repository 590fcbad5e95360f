#include <array>

#include "vkc/physical_device_state.h"

namespace vkc::detail {
namespace {

struct NamedFeature {
  const char* name;
  bool DeviceFeatures::*feature;
};

constexpr std::array kFeatures = {
#define VKC_FEATURE(name) \
  NamedFeature { #name, &DeviceFeatures::name }
    VKC_FEATURE(fp16_arithmetic),
    VKC_FEATURE(fp64_arithmetic),
    VKC_FEATURE(int8_arithmetic),
    VKC_FEATURE(int16_arithmetic),
    VKC_FEATURE(int64_arithmetic),
    VKC_FEATURE(storage_8bit),
    VKC_FEATURE(storage_16bit),
    VKC_FEATURE(uniform_and_storage_8bit),
    VKC_FEATURE(uniform_and_storage_16bit),
    VKC_FEATURE(push_constant_8bit),
    VKC_FEATURE(push_constant_16bit),
    VKC_FEATURE(shared_memory_layout),
    VKC_FEATURE(subgroup_size_control),
    VKC_FEATURE(vulkan_memory_model),
    VKC_FEATURE(vulkan_memory_model_device_scope),
    VKC_FEATURE(cooperative_matrix),
    VKC_FEATURE(shader_clock),
    VKC_FEATURE(pipeline_statistics),
    VKC_FEATURE(memory_budget),
    VKC_FEATURE(storage_image_read_without_format),
    VKC_FEATURE(storage_image_write_without_format),
    VKC_FEATURE(storage_image_extended_formats),
    VKC_FEATURE(image_gather_extended),
    VKC_FEATURE(timeline_semaphore),
#undef VKC_FEATURE
};
static_assert(kFeatures.size() == sizeof(DeviceFeatures));  // none is forgotten

}  // namespace

std::vector<std::string> missing_features(const DeviceFeatures& wanted, const DeviceFeatures& offered) {
  std::vector<std::string> missing;
  for (const NamedFeature& known : kFeatures) {
    if (wanted.*known.feature && !(offered.*known.feature)) missing.emplace_back(known.name);
  }
  return missing;
}

DeviceFeatures without(const DeviceFeatures& all, const DeviceFeatures& unwanted) {
  DeviceFeatures left = all;
  for (const NamedFeature& known : kFeatures) {
    if (unwanted.*known.feature) left.*known.feature = false;
  }
  return left;
}

template <typename Struct>
void FeatureChain::chain(const PhysicalDevice::State& device, Struct& next, const char* extension,
                         std::uint32_t core_version) {
  if (!device.offers(extension, core_version)) return;
  if (device.api_version < core_version) extensions_.push_back(extension);
  chain(next);
}

FeatureChain::FeatureChain(const PhysicalDevice::State& device) {
  constexpr std::uint32_t kNever = UINT32_MAX;  // not part of any core version yet
  chain(storage16_);
  chain(device, storage8_, VK_KHR_8BIT_STORAGE_EXTENSION_NAME, VK_API_VERSION_1_2);
  chain(device, float16_, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, VK_API_VERSION_1_2);
  chain(device, memory_model_, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, VK_API_VERSION_1_2);
  chain(device, subgroup_size_, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, VK_API_VERSION_1_3);
  chain(device, timeline_, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_API_VERSION_1_2);
  chain(device, cooperative_matrix_, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, kNever);
  chain(device, clock_, VK_KHR_SHADER_CLOCK_EXTENSION_NAME, kNever);
  chain(device, shared_layout_, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, kNever);
  chain(device, pipeline_statistics_, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, kNever);
}

void FeatureChain::query(const InstanceFunctions& functions, VkPhysicalDevice device) {
  functions.GetPhysicalDeviceFeatures2(device, &base_);
}

DeviceFeatures FeatureChain::read() const {
  DeviceFeatures result;
  result.fp16_arithmetic = float16_.shaderFloat16;
  result.fp64_arithmetic = base_.features.shaderFloat64;
  result.int8_arithmetic = float16_.shaderInt8;
  result.int16_arithmetic = base_.features.shaderInt16;
  result.int64_arithmetic = base_.features.shaderInt64;
  result.storage_8bit = storage8_.storageBuffer8BitAccess;
  result.storage_16bit = storage16_.storageBuffer16BitAccess;
  result.uniform_and_storage_8bit = storage8_.uniformAndStorageBuffer8BitAccess;
  result.uniform_and_storage_16bit = storage16_.uniformAndStorageBuffer16BitAccess;
  result.push_constant_8bit = storage8_.storagePushConstant8;
  result.push_constant_16bit = storage16_.storagePushConstant16;
  result.shared_memory_layout = shared_layout_.workgroupMemoryExplicitLayout;
  result.subgroup_size_control = subgroup_size_.subgroupSizeControl;
  result.vulkan_memory_model = memory_model_.vulkanMemoryModel;
  result.vulkan_memory_model_device_scope = memory_model_.vulkanMemoryModelDeviceScope;
  result.cooperative_matrix = cooperative_matrix_.cooperativeMatrix;
  result.shader_clock = clock_.shaderSubgroupClock;
  result.pipeline_statistics = pipeline_statistics_.pipelineExecutableInfo;
  result.storage_image_read_without_format = base_.features.shaderStorageImageReadWithoutFormat;
  result.storage_image_write_without_format = base_.features.shaderStorageImageWriteWithoutFormat;
  result.storage_image_extended_formats = base_.features.shaderStorageImageExtendedFormats;
  result.image_gather_extended = base_.features.shaderImageGatherExtended;
  result.timeline_semaphore = timeline_.timelineSemaphore;
  return result;
}

void FeatureChain::enable(const DeviceFeatures& features) {
  float16_.shaderFloat16 = features.fp16_arithmetic;
  base_.features.shaderFloat64 = features.fp64_arithmetic;
  float16_.shaderInt8 = features.int8_arithmetic;
  base_.features.shaderInt16 = features.int16_arithmetic;
  base_.features.shaderInt64 = features.int64_arithmetic;
  storage8_.storageBuffer8BitAccess = features.storage_8bit;
  storage16_.storageBuffer16BitAccess = features.storage_16bit;
  storage8_.uniformAndStorageBuffer8BitAccess = features.uniform_and_storage_8bit;
  storage16_.uniformAndStorageBuffer16BitAccess = features.uniform_and_storage_16bit;
  storage8_.storagePushConstant8 = features.push_constant_8bit;
  storage16_.storagePushConstant16 = features.push_constant_16bit;
  shared_layout_.workgroupMemoryExplicitLayout = features.shared_memory_layout;
  subgroup_size_.subgroupSizeControl = features.subgroup_size_control;
  memory_model_.vulkanMemoryModel = features.vulkan_memory_model;
  memory_model_.vulkanMemoryModelDeviceScope = features.vulkan_memory_model_device_scope;
  cooperative_matrix_.cooperativeMatrix = features.cooperative_matrix;
  clock_.shaderSubgroupClock = features.shader_clock;
  pipeline_statistics_.pipelineExecutableInfo = features.pipeline_statistics;
  base_.features.shaderStorageImageReadWithoutFormat = features.storage_image_read_without_format;
  base_.features.shaderStorageImageWriteWithoutFormat = features.storage_image_write_without_format;
  base_.features.shaderStorageImageExtendedFormats = features.storage_image_extended_formats;
  base_.features.shaderImageGatherExtended = features.image_gather_extended;
  timeline_.timelineSemaphore = features.timeline_semaphore;
}

}  // namespace vkc::detail
