#include <vkc/device.h>

#include <algorithm>

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
  for (const char* name :
       {kPortabilitySubset, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME}) {
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

DeviceState::DeviceState(PhysicalDevice physical)
    : physical(std::move(physical)),
      memory_allocations("max_memory_allocation_count", limits().max_memory_allocation_count),
      samplers("max_samplers", limits().max_samplers) {}

DeviceState::~DeviceState() {
  if (handle == VK_NULL_HANDLE) return;
  if (const Status saved = save_pipeline_cache(); !saved) log(Severity::warning, saved.error().message);
  for (VkFence fence : fences_) vk.DestroyFence(handle, fence, nullptr);
  for (QueueState* queue : {&compute_queue, &transfer_queue})
    vk.DestroySemaphore(handle, queue->timeline, nullptr);
  vk.DestroyPipelineCache(handle, pipeline_cache, nullptr);
  if (owned) vk.DestroyDevice(handle, nullptr);
}

Status DeviceState::open(const DeviceOptions& options) {
  if (auto created = create_handle(options); !created) return created;
  const PhysicalDevice::State& from = *physical.state();
  if (auto loaded = load(); !loaded) return loaded;
  compute_queue.family = from.queue_family;
  vk.GetDeviceQueue(handle, compute_queue.family, 0, &compute_queue.handle);
  if (options.transfer_queue && from.transfer_family) {
    transfer_queue.family = *from.transfer_family;
    transfer_queue.computes = false;
    transfer_queue.granularity = from.families[transfer_queue.family].minImageTransferGranularity;
    vk.GetDeviceQueue(handle, transfer_queue.family, 0, &transfer_queue.handle);
    families_ = {compute_queue.family, transfer_queue.family};
    if (auto created = create_timelines(); !created) return created;
  }
  return finish(options);
}

// Without all of its functions a device cannot be used, and is given up at once.
Status DeviceState::load() {
  const char* missing = load_functions(physical.state()->instance->functions.GetDeviceProcAddr, handle, vk);
  if (missing == nullptr) return {};
  if (owned && vk.DestroyDevice != nullptr) vk.DestroyDevice(handle, nullptr);
  handle = VK_NULL_HANDLE;
  return fail(ErrorCode::no_device, "the driver of " + properties().name + " lacks " + missing);
}

Status DeviceState::adopt(VkDevice device, VkQueue queue, const DeviceOptions& options) {
  owned = false;
  handle = device;
  if (auto loaded = load(); !loaded) return loaded;
  compute_queue.family = physical.state()->queue_family;
  compute_queue.handle = queue;
  return finish(options);
}

// Only where one queue may have to wait for the other; without the feature the host waits between them.
Status DeviceState::create_timelines() {
  if (!properties().features.timeline_semaphore) return {};
  auto type = vk_struct<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = vk_struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &type;
  for (QueueState* queue : {&compute_queue, &transfer_queue}) {
    const VkResult result = vk.CreateSemaphore(handle, &info, nullptr, &queue->timeline);
    if (auto ok = check(result, "vkCreateSemaphore"); !ok) return ok;
  }
  return {};
}

Status DeviceState::finish(const DeviceOptions& options) {
  auto all =
      vk_struct<VkPhysicalDeviceMemoryProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
  physical.state()->instance->functions.GetPhysicalDeviceMemoryProperties2(physical.state()->handle, &all);
  memory = all.memoryProperties;
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

Status DeviceState::create_handle(const DeviceOptions& options) {
  const PhysicalDevice::State& from = *physical.state();
  FeatureChain features(from);
  features.enable(from.properties.features);
  const std::vector<const char*> extensions = wanted_extensions(from, features);
  const float priority = 1.0F;
  std::vector<VkDeviceQueueCreateInfo> queues;
  const auto add_queue = [&](std::uint32_t family) {
    auto info = vk_struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    info.queueFamilyIndex = family;
    info.queueCount = 1;
    info.pQueuePriorities = &priority;
    queues.push_back(info);
  };
  add_queue(from.queue_family);
  if (options.transfer_queue && from.transfer_family) add_queue(*from.transfer_family);
  auto info = vk_struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features.head();
  info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
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

Result<std::uint64_t> DeviceState::submit(QueueState& queue, std::span<const VkCommandBuffer> recordings,
                                          std::span<const Wait> waits, VkFence fence) {
  if (auto ok = alive(); !ok) return propagate(ok);
  std::vector<VkSemaphore> semaphores;
  std::vector<std::uint64_t> values;
  std::vector<VkPipelineStageFlags> stages(waits.size(), queue.stages());
  for (const Wait& wait : waits) {
    semaphores.push_back(wait.timeline);
    values.push_back(wait.value);
  }
  auto info = vk_struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = static_cast<std::uint32_t>(recordings.size());
  info.pCommandBuffers = recordings.data();
  info.waitSemaphoreCount = static_cast<std::uint32_t>(semaphores.size());
  info.pWaitSemaphores = semaphores.data();
  info.pWaitDstStageMask = stages.data();
  auto timeline = vk_struct<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  timeline.waitSemaphoreValueCount = info.waitSemaphoreCount;
  timeline.pWaitSemaphoreValues = values.data();
  const QueueLock lock(queue);
  if (!lock.locked()) return propagate(lock.locked());
  const std::uint64_t value = queue.submitted + 1;
  if (queue.timeline != VK_NULL_HANDLE) {
    info.pNext = &timeline;
    info.signalSemaphoreCount = timeline.signalSemaphoreValueCount = 1;
    info.pSignalSemaphores = &queue.timeline;
    timeline.pSignalSemaphoreValues = &value;
  }
  if (auto ok = check(vk.QueueSubmit(queue.handle, 1, &info, fence), "vkQueueSubmit"); !ok)
    return propagate(ok);
  if (queue.timeline == VK_NULL_HANDLE) return 0;
  queue.submitted = value;
  return value;
}

std::uint64_t DeviceState::clock_origin_ticks(std::uint64_t now_ticks) {
  std::call_once(clock_begun_, [&] {
    // Timestamps written before this one may be read after it: a minute at ticks of a nanosecond.
    constexpr std::uint32_t kMinuteBits = 36;
    const std::uint32_t bits =
        std::min(kMinuteBits, limits().timestamp_valid_bits - std::min(2U, limits().timestamp_valid_bits));
    clock_origin_ticks_ = now_ticks - (std::uint64_t{1} << bits);
  });
  return clock_origin_ticks_;
}

Status DeviceState::wait_idle() {
  if (auto ok = alive(); !ok) return ok;
  for (QueueState* queue : {&compute_queue, &transfer_queue}) {
    if (queue->handle == VK_NULL_HANDLE) continue;
    const QueueLock lock(*queue);
    if (!lock.locked()) return lock.locked();
    if (auto ok = check(vk.QueueWaitIdle(queue->handle), "vkQueueWaitIdle"); !ok) return ok;
  }
  return {};
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
  const PhysicalDevice opened_as(
      detail::describe_without(*physical_device.state(), options.without_features));
  auto state = std::make_shared<detail::DeviceState>(opened_as);
  if (auto opened = state->open(options); !opened) return detail::propagate(opened);
  return Device(std::move(state));
}

Result<Device> Device::open(const Result<PhysicalDevice>& physical_device, const DeviceOptions& options) {
  if (!physical_device) return detail::propagate(physical_device);
  return open(*physical_device, options);
}

const PhysicalDevice& Device::physical_device() const { return state_->physical; }
const DeviceProperties& Device::properties() const { return state_->properties(); }
bool Device::has_transfer_queue() const { return state_->has_transfer_queue(); }
Status Device::wait_idle() const { return state_->wait_idle(); }
bool Device::is_lost() const { return state_->is_lost(); }
Status Device::save_pipeline_cache() const { return state_->save_pipeline_cache(); }

}  // namespace vkc
