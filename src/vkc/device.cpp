#include <vkc/device.h>

#include "vkc/device_state.h"

namespace vkc {
namespace detail {
namespace {

// Extensions of this device to enable.
std::vector<const char*> wanted_extensions(const PhysicalDevice::State& physical,
                                           const FeatureChain& features) {
  std::vector<const char*> names = features.extensions();
  constexpr const char* kPortabilitySubset =
      "VK_KHR_portability_subset";  // must be enabled where it is offered
  for (const char* name : {kPortabilitySubset, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME}) {
    if (physical.offers(name)) names.push_back(name);
  }
  const bool before_1_2 = physical.api_version < VK_API_VERSION_1_2;
  if (before_1_2 && physical.offers(VK_KHR_SPIRV_1_4_EXTENSION_NAME)) {
    names.push_back(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);  // which it requires
    names.push_back(VK_KHR_SPIRV_1_4_EXTENSION_NAME);
  }
  return names;
}

}  // namespace

DeviceState::~DeviceState() {
  if (handle == VK_NULL_HANDLE) return;
  if (vk.DestroyDevice == nullptr) return;  // its functions could not be loaded
  if (const Status saved = save_pipeline_cache(); !saved) log(Severity::warning, saved.error().message);
  for (VkFence fence : fences_) vk.DestroyFence(handle, fence, nullptr);
  vk.DestroyPipelineCache(handle, pipeline_cache, nullptr);
  vk.DestroyDevice(handle, nullptr);
}

Status DeviceState::open(const DeviceOptions& options) {
  const auto& instance = *physical.state()->instance;
  auto all =
      vk_struct<VkPhysicalDeviceMemoryProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
  instance.functions.GetPhysicalDeviceMemoryProperties2(physical.state()->handle, &all);
  memory = all.memoryProperties;
  if (auto created = create_handle(); !created) return created;
  if (const char* missing = load_functions(instance.functions.GetDeviceProcAddr, handle, vk)) {
    return fail(ErrorCode::no_device, "the driver of " + properties().name + " lacks " + missing);
  }
  vk.GetDeviceQueue(handle, physical.state()->queue_family, 0, &queue);

  cache_folder_ = options.pipeline_cache_folder;
  std::vector<std::byte> initial;
  if (!cache_folder_.empty()) {
    if (auto read = read_pipeline_cache(cache_folder_, cache_key())) {
      initial = std::move(*read);
    } else {
      log(Severity::info, read.error().message);
    }
  }
  return create_pipeline_cache(initial, pipeline_cache);
}

Status DeviceState::create_handle() {
  const PhysicalDevice::State& from = *physical.state();
  FeatureChain features(from);
  features.enable(from.properties.features);
  const std::vector<const char*> extensions = wanted_extensions(from, features);
  const float priority = 1.0F;
  auto queue_info = vk_struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue_info.queueFamilyIndex = from.queue_family;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  auto info = vk_struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features.head();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  return check(from.instance->functions.CreateDevice(from.handle, &info, nullptr, &handle),
               "opening " + properties().name);
}

Status DeviceState::check(VkResult result, std::string_view what) {
  if (result == VK_SUCCESS) return {};
  Error error = vulkan_error(result, what);
  const bool first_loss = error.code == ErrorCode::device_lost && !lost_.exchange(true);
  if (first_loss) log(Severity::error, properties().name + ": " + error.message);
  return tl::unexpected(std::move(error));
}

Status DeviceState::alive() const {
  if (!lost_) return {};
  return fail(ErrorCode::device_lost, properties().name + " was lost; open it again to go on");
}

Status DeviceState::submit(VkCommandBuffer commands, VkFence fence) {
  if (auto ok = alive(); !ok) return ok;
  auto info = vk_struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  const std::lock_guard lock(queue_mutex_);
  return check(vk.QueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
}

Status DeviceState::wait_idle() {
  if (auto ok = alive(); !ok) return ok;
  const std::lock_guard lock(queue_mutex_);
  return check(vk.DeviceWaitIdle(handle), "vkDeviceWaitIdle");
}

Result<VkFence> DeviceState::take_fence() {
  {
    const std::lock_guard lock(fence_mutex_);
    if (!fences_.empty()) {
      VkFence fence = fences_.back();
      fences_.pop_back();
      return fence;
    }
  }
  const auto info = vk_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence fence = VK_NULL_HANDLE;
  if (auto ok = check(vk.CreateFence(handle, &info, nullptr, &fence), "vkCreateFence"); !ok)
    return propagate(ok);
  return fence;
}

void DeviceState::give_fence(VkFence fence, bool signalled) {
  const bool reusable = !lost_ && (!signalled || vk.ResetFences(handle, 1, &fence) == VK_SUCCESS);
  if (!reusable) {
    vk.DestroyFence(handle, fence, nullptr);
    return;
  }
  const std::lock_guard lock(fence_mutex_);
  fences_.push_back(fence);
}

void DeviceState::set_name(VkObjectType type, std::uint64_t object, std::string_view name) const {
  const auto& functions = physical.state()->instance->functions;
  if (functions.SetDebugUtilsObjectNameEXT == nullptr || name.empty()) return;
  const std::string text(name);
  auto info = vk_struct<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = text.c_str();
  // A name is a convenience: a failure changes nothing.
  (void)functions.SetDebugUtilsObjectNameEXT(handle, &info);
}

PipelineCacheKey DeviceState::cache_key() const {
  const DeviceProperties& device = properties();
  return {device.vendor_id, device.device_id,   device.driver_version,
          device.uuid,      device.driver_uuid, physical.state()->pipeline_cache_uuid};
}

Status DeviceState::create_pipeline_cache(std::span<const std::byte> initial, VkPipelineCache& cache) {
  auto info = vk_struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = initial.size();
  info.pInitialData = initial.data();
  return check(vk.CreatePipelineCache(handle, &info, nullptr, &cache), "vkCreatePipelineCache");
}

Result<std::vector<std::byte>> DeviceState::pipeline_cache_data(VkPipelineCache cache) {
  std::vector<std::byte> data;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {  // it may grow between the two calls
    std::size_t size = 0;
    result = vk.GetPipelineCacheData(handle, cache, &size, nullptr);
    if (result != VK_SUCCESS) break;
    data.resize(size);
    result = vk.GetPipelineCacheData(handle, cache, &size, data.data());
    data.resize(size);
  }
  if (auto ok = check(result, "vkGetPipelineCacheData"); !ok) return propagate(ok);
  return data;
}

// Our pipelines and those that another process has written since we read the file.
Result<std::vector<std::byte>> DeviceState::merged_with_file() {
  const auto on_disk = read_pipeline_cache(cache_folder_, cache_key());
  if (!on_disk || on_disk->empty()) return pipeline_cache_data(pipeline_cache);
  VkPipelineCache merged = VK_NULL_HANDLE;
  if (auto ok = create_pipeline_cache(*on_disk, merged); !ok) return propagate(ok);
  auto data = [&]() -> Result<std::vector<std::byte>> {
    const VkResult result = vk.MergePipelineCaches(handle, merged, 1, &pipeline_cache);
    if (auto ok = check(result, "vkMergePipelineCaches"); !ok) return propagate(ok);
    return pipeline_cache_data(merged);
  }();
  vk.DestroyPipelineCache(handle, merged, nullptr);
  return data;
}

Status DeviceState::save_pipeline_cache() {
  if (cache_folder_.empty() || lost_) return {};
  const std::lock_guard lock(cache_mutex_);
  if (!new_pipelines_.exchange(false)) return {};
  const auto data = merged_with_file();
  if (!data) return propagate(data);
  return write_pipeline_cache(cache_folder_, cache_key(), *data);
}

}  // namespace detail

Result<Device> Device::open(const PhysicalDevice& physical_device, const DeviceOptions& options) {
  if (!physical_device.refusals().empty()) {
    return detail::fail(ErrorCode::no_device, physical_device.properties().name + " cannot be used",
                        physical_device.refusals());
  }
  auto state = std::make_shared<detail::DeviceState>(physical_device);
  if (auto opened = state->open(options); !opened) return detail::propagate(opened);
  return Device(std::move(state));
}

Result<Device> Device::open(const Result<PhysicalDevice>& physical_device, const DeviceOptions& options) {
  if (!physical_device) return detail::propagate(physical_device);
  return open(*physical_device, options);
}

const PhysicalDevice& Device::physical_device() const { return state_->physical; }
const DeviceProperties& Device::properties() const { return state_->properties(); }
Status Device::wait_idle() const { return state_->wait_idle(); }
bool Device::is_lost() const { return state_->is_lost(); }
Status Device::save_pipeline_cache() const { return state_->save_pipeline_cache(); }

}  // namespace vkc
