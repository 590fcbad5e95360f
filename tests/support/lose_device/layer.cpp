#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>

#include "lose_device.h"

namespace {

struct DeviceTable {
  PFN_vkGetDeviceProcAddr next = nullptr;
  PFN_vkQueueSubmit submit = nullptr;
  PFN_vkWaitForFences wait_for_fences = nullptr;
  PFN_vkQueueWaitIdle queue_wait_idle = nullptr;
};

std::atomic<int> calls_left = -1;
std::atomic<int> calls_made = 0;
std::mutex mutex;
// By what the loader puts first into its handles, which instances share with their physical devices and
// devices with their queues.
std::map<void*, PFN_vkGetInstanceProcAddr> instances;
std::map<void*, DeviceTable> devices;

template <typename Handle>
void* key_of(Handle handle) {
  void* key = nullptr;
  std::memcpy(&key, handle, sizeof key);
  return key;
}

template <typename Handle>
DeviceTable table_of(Handle handle) {
  const std::lock_guard lock(mutex);
  return devices[key_of(handle)];
}

bool is_lost() {
  ++calls_made;
  int left = calls_left;
  while (left > 0 && !calls_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0;
}

template <typename Info, typename CreateInfo>
Info* link_of(const CreateInfo* create, VkStructureType type) {
  for (auto* at = static_cast<const VkBaseInStructure*>(create->pNext); at != nullptr; at = at->pNext) {
    auto* info = reinterpret_cast<Info*>(const_cast<VkBaseInStructure*>(at));
    if (at->sType == type && info->function == VK_LAYER_LINK_INFO) return info;
  }
  return nullptr;
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* create,
                                    const VkAllocationCallbacks* allocator, VkInstance* instance) {
  auto* link = link_of<VkLayerInstanceCreateInfo>(create, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto real = reinterpret_cast<PFN_vkCreateInstance>(next(nullptr, "vkCreateInstance"));
  const VkResult result = real(create, allocator, instance);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(mutex);
  instances[key_of(*instance)] = next;
  return result;
}

VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* create,
                                  const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto* link = link_of<VkLayerDeviceCreateInfo>(create, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto real = reinterpret_cast<PFN_vkCreateDevice>(next_instance(nullptr, "vkCreateDevice"));
  const VkResult result = real(physical, create, allocator, device);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(mutex);
  devices[key_of(*device)] = {next, reinterpret_cast<PFN_vkQueueSubmit>(next(*device, "vkQueueSubmit")),
                              reinterpret_cast<PFN_vkWaitForFences>(next(*device, "vkWaitForFences")),
                              reinterpret_cast<PFN_vkQueueWaitIdle>(next(*device, "vkQueueWaitIdle"))};
  return result;
}

VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  const DeviceTable table = table_of(queue);
  if (!is_lost()) return table.submit(queue, count, infos, fence);
  // The driver still works: nothing of what it was given may be destroyed under its hands.
  (void)table.queue_wait_idle(queue);
  return VK_ERROR_DEVICE_LOST;
}

VkResult VKAPI_CALL wait_for_fences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                                    uint64_t timeout_ns) {
  const DeviceTable table = table_of(device);
  if (!is_lost()) return table.wait_for_fences(device, count, fences, all, timeout_ns);
  (void)table.wait_for_fences(device, count, fences, VK_TRUE, std::numeric_limits<uint64_t>::max());
  return VK_ERROR_DEVICE_LOST;
}

VkResult VKAPI_CALL queue_wait_idle(VkQueue queue) {
  const VkResult result = table_of(queue).queue_wait_idle(queue);
  return is_lost() ? VK_ERROR_DEVICE_LOST : result;
}

PFN_vkVoidFunction own(const char* name);

}  // namespace

extern "C" {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL lose_device_vkGetDeviceProcAddr(VkDevice device, const char* name) {
  if (const auto function = own(name)) return function;
  return table_of(device).next(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL lose_device_vkGetInstanceProcAddr(VkInstance instance,
                                                                           const char* name) {
  if (const auto function = own(name)) return function;
  if (instance == nullptr) return nullptr;
  const std::lock_guard lock(mutex);
  return instances[key_of(instance)](instance, name);
}

void lose_device_after(int calls) {
  calls_made = 0;
  calls_left = calls;
}

int submits_and_waits(void) { return calls_made; }

}  // extern "C"

namespace {

template <typename Function>
PFN_vkVoidFunction as_void(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction own(const char* name) {
  const std::map<std::string_view, PFN_vkVoidFunction> functions = {
      {"vkGetInstanceProcAddr", as_void(lose_device_vkGetInstanceProcAddr)},
      {"vkGetDeviceProcAddr", as_void(lose_device_vkGetDeviceProcAddr)},
      {"vkCreateInstance", as_void(create_instance)},
      {"vkCreateDevice", as_void(create_device)},
      {"vkQueueSubmit", as_void(submit)},
      {"vkWaitForFences", as_void(wait_for_fences)},
      {"vkQueueWaitIdle", as_void(queue_wait_idle)}};
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

}  // namespace
