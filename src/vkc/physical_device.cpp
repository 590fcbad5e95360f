#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "vkc/matrix_shapes.h"
#include "vkc/physical_device_state.h"

namespace vkc {
namespace detail {
namespace {

DeviceType type_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceType::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceType::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceType::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceType::software;
    default:
      return DeviceType::other;
  }
}

Version version_of(std::uint32_t version) {
  return {VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version)};
}

template <typename Array>
Uuid uuid_of(const Array& bytes) {
  Uuid uuid;
  std::copy(std::begin(bytes), std::end(bytes), uuid.begin());
  return uuid;
}

// Text of a fixed field, which a faulty driver may leave without its end.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

void read_extensions(PhysicalDevice::State& state) {
  const auto& vk = state.instance->functions;
  std::uint32_t count = 0;
  if (vk.EnumerateDeviceExtensionProperties(state.handle, nullptr, &count, nullptr) != VK_SUCCESS) return;
  std::vector<VkExtensionProperties> properties(count);
  const VkResult result =
      vk.EnumerateDeviceExtensionProperties(state.handle, nullptr, &count, properties.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return;
  for (const VkExtensionProperties& property : std::span(properties).first(count)) {
    state.extensions.insert(text_of(property.extensionName));
  }
}

void read_basic(PhysicalDevice::State& state, const VkPhysicalDeviceProperties& properties) {
  DeviceProperties& to = state.properties;
  to.name = text_of(properties.deviceName);
  to.type = type_of(properties.deviceType);
  to.vendor_id = properties.vendorID;
  to.device_id = properties.deviceID;
  to.driver_version = properties.driverVersion;
  to.api_version = version_of(properties.apiVersion);
  state.pipeline_cache_uuid = uuid_of(properties.pipelineCacheUUID);
  state.api_version = std::min(properties.apiVersion, state.instance->api_version);
}

void read_limits(DeviceLimits& to, const VkPhysicalDeviceLimits& limits) {
  to.max_storage_buffer_range_bytes = limits.maxStorageBufferRange;
  to.max_uniform_buffer_range_bytes = limits.maxUniformBufferRange;
  to.max_memory_allocation_count = limits.maxMemoryAllocationCount;
  to.max_push_constants_bytes = limits.maxPushConstantsSize;
  to.max_bound_descriptor_sets = limits.maxBoundDescriptorSets;
  to.max_storage_buffers_per_kernel =
      std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers,
                limits.maxPerStageResources});
  to.max_uniform_buffers_per_kernel =
      std::min({limits.maxPerStageDescriptorUniformBuffers, limits.maxDescriptorSetUniformBuffers,
                limits.maxPerStageResources});
  to.max_storage_images_per_kernel =
      std::min({limits.maxPerStageDescriptorStorageImages, limits.maxDescriptorSetStorageImages,
                limits.maxPerStageResources});
  to.max_sampled_images_per_kernel =
      std::min({limits.maxPerStageDescriptorSampledImages, limits.maxDescriptorSetSampledImages,
                limits.maxPerStageResources});
  to.max_samplers_per_kernel =
      std::min(limits.maxPerStageDescriptorSamplers, limits.maxDescriptorSetSamplers);
  to.max_resources_per_kernel = limits.maxPerStageResources;
  to.max_samplers = limits.maxSamplerAllocationCount;
  to.max_image_2d_px = limits.maxImageDimension2D;
  to.max_image_3d_px = limits.maxImageDimension3D;
  to.max_shared_memory_bytes = limits.maxComputeSharedMemorySize;
  std::copy_n(limits.maxComputeWorkGroupCount, 3, to.max_group_count.begin());
  std::copy_n(limits.maxComputeWorkGroupSize, 3, to.max_group_size.begin());
  to.max_group_invocations = limits.maxComputeWorkGroupInvocations;
  to.min_storage_buffer_offset_alignment_bytes = limits.minStorageBufferOffsetAlignment;
  to.min_uniform_buffer_offset_alignment_bytes = limits.minUniformBufferOffsetAlignment;
  to.non_coherent_atom_bytes = limits.nonCoherentAtomSize;
  to.timestamp_period_ns = static_cast<double>(limits.timestampPeriod);
}

// The properties that came after 1.0, as far as the device knows them.
void read_more_properties(PhysicalDevice::State& state) {
  auto ids = vk_struct<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  auto allocation = vk_struct<VkPhysicalDeviceMaintenance3Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  auto subgroup =
      vk_struct<VkPhysicalDeviceSubgroupProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  auto driver =
      vk_struct<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto sizes = vk_struct<VkPhysicalDeviceSubgroupSizeControlProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  auto buffers = vk_struct<VkPhysicalDeviceMaintenance4Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  auto push = vk_struct<VkPhysicalDevicePushDescriptorPropertiesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR);
  auto matrices = vk_struct<VkPhysicalDeviceCooperativeMatrixPropertiesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
  auto all = vk_struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  all.pNext = &ids;
  ids.pNext = &allocation;
  allocation.pNext = &subgroup;
  void** tail = &subgroup.pNext;
  const auto chain = [&](auto& next) {
    *tail = &next;
    tail = &next.pNext;
  };
  if (state.offers(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME, VK_API_VERSION_1_2)) chain(driver);
  if (state.offers(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, VK_API_VERSION_1_3)) chain(sizes);
  if (state.offers(VK_KHR_MAINTENANCE_4_EXTENSION_NAME, VK_API_VERSION_1_3)) chain(buffers);
  if (state.offers(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) chain(push);
  if (state.offers(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) chain(matrices);
  state.instance->functions.GetPhysicalDeviceProperties2(state.handle, &all);
  state.max_push_descriptors = push.maxPushDescriptors;
  state.matrices_in_kernels = (matrices.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;

  DeviceProperties& to = state.properties;
  to.uuid = uuid_of(ids.deviceUUID);
  to.driver_uuid = uuid_of(ids.driverUUID);
  to.driver_name = text_of(driver.driverName);
  to.driver_info = text_of(driver.driverInfo);
  to.limits.max_memory_allocation_bytes = allocation.maxMemoryAllocationSize;
  to.limits.max_buffer_bytes =
      buffers.maxBufferSize != 0 ? buffers.maxBufferSize : allocation.maxMemoryAllocationSize;
  to.limits.subgroup_size = subgroup.subgroupSize;
  to.limits.min_subgroup_size = sizes.minSubgroupSize != 0 ? sizes.minSubgroupSize : subgroup.subgroupSize;
  to.limits.max_subgroup_size = sizes.maxSubgroupSize != 0 ? sizes.maxSubgroupSize : subgroup.subgroupSize;
  // A driver may offer sizes, but not let a kernel ask for one.
  if ((sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0) {
    to.limits.min_subgroup_size = to.limits.max_subgroup_size = subgroup.subgroupSize;
  }
  if ((subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0)
    state.subgroup_operations = subgroup.supportedOperations;
}

void read_features(PhysicalDevice::State& state) {
  FeatureChain features(state);
  features.query(state.instance->functions, state.handle);
  state.properties.features = features.read();
  state.properties.features.memory_budget = state.offers(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  const DeviceLimits& limits = state.properties.limits;
  if (limits.min_subgroup_size == limits.max_subgroup_size)
    state.properties.features.subgroup_size_control = false;
  if (!state.matrices_in_kernels) state.properties.features.cooperative_matrix = false;
  if (state.properties.features.cooperative_matrix)
    state.properties.matrix_shapes = read_matrix_shapes(state.instance->functions, state.handle);
}

spirv::Version newest_spirv(const PhysicalDevice::State& state) {
  if (state.api_version >= VK_API_VERSION_1_3) return {1, 6};
  if (state.api_version >= VK_API_VERSION_1_2) return {1, 5};
  return state.offers(VK_KHR_SPIRV_1_4_EXTENSION_NAME) ? spirv::Version{1, 4} : spirv::Version{1, 3};
}

// A family for compute; one without graphics if there is one, because it does not wait for a desktop.
std::optional<std::uint32_t> compute_family(std::span<const VkQueueFamilyProperties> families) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < families.size(); ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || families[i].queueCount == 0) continue;
    const bool only_compute = (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0;
    if (!best || (only_compute && (families[*best].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0)) best = i;
  }
  return best;
}

// A family for copies alone.
std::optional<std::uint32_t> transfer_family(std::span<const VkQueueFamilyProperties> families) {
  constexpr VkQueueFlags kHarmless =
      VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
  for (std::uint32_t i = 0; i < families.size(); ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    const bool copies = (flags & VK_QUEUE_TRANSFER_BIT) != 0 && (flags & ~kHarmless) == 0;
    if (copies && families[i].queueCount > 0) return i;
  }
  return std::nullopt;
}

void read_queues(PhysicalDevice::State& state) {
  const auto& vk = state.instance->functions;
  std::uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(state.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties>& families = state.families;
  families.resize(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(state.handle, &count, families.data());
  families.resize(count);
  const auto family = compute_family(families);
  if (!family) {
    state.refusals.emplace_back("it has no queue for compute");
    return;
  }
  state.queue_family = *family;
  state.transfer_family = transfer_family(families);
  state.properties.transfer_queue = state.transfer_family.has_value();
  state.properties.limits.timestamp_valid_bits = families[*family].timestampValidBits;
}

int rank(DeviceType type) {
  switch (type) {
    case DeviceType::discrete:
      return 0;
    case DeviceType::integrated:
      return 1;
    case DeviceType::virtual_gpu:
      return 2;
    case DeviceType::other:
      return 3;
    case DeviceType::software:
      return 4;
  }
  return 5;
}

// Without the features the device's own size of subgroups is the only one, and there are no matrices.
void fit_to_features(DeviceProperties& properties) {
  DeviceLimits& limits = properties.limits;
  if (!properties.features.subgroup_size_control)
    limits.min_subgroup_size = limits.max_subgroup_size = limits.subgroup_size;
  if (!properties.features.cooperative_matrix) properties.matrix_shapes.clear();
}

}  // namespace

std::shared_ptr<PhysicalDevice::State> describe_opened(const PhysicalDevice::State& device,
                                                       const DeviceFeatures& features,
                                                       std::set<std::string, std::less<>> extensions,
                                                       std::uint32_t queue_family) {
  auto state = std::make_shared<PhysicalDevice::State>(device);
  state->extensions = std::move(extensions);
  state->queue_family = queue_family;
  state->transfer_family.reset();
  state->newest_spirv = newest_spirv(*state);
  if (!state->offers(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) state->max_push_descriptors = 0;
  DeviceProperties& properties = state->properties;
  properties.features = features;
  properties.transfer_queue = false;
  properties.limits.timestamp_valid_bits = state->families[queue_family].timestampValidBits;
  fit_to_features(properties);
  return state;
}

std::shared_ptr<PhysicalDevice::State> describe_without(const PhysicalDevice::State& device,
                                                        const DeviceFeatures& unwanted) {
  auto state = std::make_shared<PhysicalDevice::State>(device);
  state->properties.features = without(device.properties.features, unwanted);
  if (!state->properties.features.memory_budget) state->extensions.erase(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  fit_to_features(state->properties);
  return state;
}

std::shared_ptr<PhysicalDevice::State> describe_device(std::shared_ptr<InstanceState> instance,
                                                       VkPhysicalDevice handle) {
  auto state = std::make_shared<PhysicalDevice::State>();
  state->instance = std::move(instance);
  state->handle = handle;
  VkPhysicalDeviceProperties properties{};
  state->instance->functions.GetPhysicalDeviceProperties(handle, &properties);
  read_basic(*state, properties);
  read_limits(state->properties.limits, properties.limits);
  if (state->api_version < VK_API_VERSION_1_1) {
    state->refusals.push_back("its driver offers Vulkan " + to_text(state->properties.api_version) +
                              "; 1.1 is needed");
    return state;
  }
  read_extensions(*state);
  read_more_properties(*state);
  read_features(*state);
  read_queues(*state);
  state->newest_spirv = newest_spirv(*state);
  state->properties.heaps = PhysicalDevice(state).memory_heaps();
  return state;
}

}  // namespace detail

const DeviceProperties& PhysicalDevice::properties() const { return state_->properties; }
const std::vector<std::string>& PhysicalDevice::refusals() const { return state_->refusals; }

std::vector<MemoryHeap> PhysicalDevice::memory_heaps() const {
  auto budget = detail::vk_struct<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
  auto memory = detail::vk_struct<VkPhysicalDeviceMemoryProperties2>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
  const bool has_budget = state_->properties.features.memory_budget;
  if (has_budget) memory.pNext = &budget;
  if (state_->api_version >= VK_API_VERSION_1_1) {
    state_->instance->functions.GetPhysicalDeviceMemoryProperties2(state_->handle, &memory);
  }
  std::vector<MemoryHeap> heaps;
  for (std::uint32_t i = 0; i < memory.memoryProperties.memoryHeapCount; ++i) {
    const VkMemoryHeap& heap = memory.memoryProperties.memoryHeaps[i];
    MemoryHeap& to = heaps.emplace_back();
    to.size_bytes = heap.size;
    to.device_local = (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    if (has_budget) to.budget_bytes = budget.heapBudget[i];
    if (has_budget) to.used_bytes = budget.heapUsage[i];
  }
  return heaps;
}

Result<std::vector<PhysicalDevice>> Instance::physical_devices() const {
  const auto& vk = state_->functions;
  std::vector<VkPhysicalDevice> handles;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {  // a device may appear between the two calls
    std::uint32_t count = 0;
    result = vk.EnumeratePhysicalDevices(state_->handle, &count, nullptr);
    if (result != VK_SUCCESS) break;
    handles.resize(count);
    result = vk.EnumeratePhysicalDevices(state_->handle, &count, handles.data());
    handles.resize(count);
  }
  // Drivers without their GPU make the loader report a failed initialization: there is no device, no fault.
  if (result == VK_ERROR_INITIALIZATION_FAILED) return std::vector<PhysicalDevice>();
  if (result != VK_SUCCESS) return tl::unexpected(detail::vulkan_error(result, "vkEnumeratePhysicalDevices"));
  std::vector<PhysicalDevice> devices;
  for (VkPhysicalDevice handle : handles) devices.emplace_back(detail::describe_device(state_, handle));
  return devices;
}

Result<PhysicalDevice> best_device(const Instance& instance, const DeviceChoice& choice) {
  const auto devices = instance.physical_devices();
  if (!devices) return detail::propagate(devices);
  const PhysicalDevice* best = nullptr;
  std::vector<std::string> reasons;
  for (const PhysicalDevice& device : *devices) {
    const DeviceProperties& properties = device.properties();
    for (const std::string& refusal : device.refusals()) reasons.push_back(properties.name + ": " + refusal);
    if (!device.refusals().empty()) continue;
    if (properties.type == DeviceType::software && !choice.allow_software) {
      reasons.push_back(properties.name + ": it is a software device, which is used only on request");
      continue;
    }
    if (best == nullptr || detail::rank(properties.type) < detail::rank(best->properties().type))
      best = &device;
  }
  if (best != nullptr) return *best;
  if (devices->empty())
    reasons.emplace_back("Vulkan reports no device at all; is the driver of the GPU installed?");
  return detail::fail(ErrorCode::no_device, "no usable Vulkan device", std::move(reasons));
}

std::string to_text(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

std::string_view to_text(DeviceType type) {
  switch (type) {
    case DeviceType::discrete:
      return "discrete";
    case DeviceType::integrated:
      return "integrated";
    case DeviceType::virtual_gpu:
      return "virtual";
    case DeviceType::software:
      return "software";
    case DeviceType::other:
      break;
  }
  return "other";
}

std::string to_text(const Uuid& uuid) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : uuid) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace vkc
