#include "vkc/functions.h"

namespace vkc::detail {

#define VKC_LOAD(name)                                                          \
  functions.name = reinterpret_cast<PFN_vk##name>(get(VKC_HANDLE, "vk" #name)); \
  if (functions.name == nullptr && missing == nullptr) missing = "vk" #name;
#define VKC_LOAD_OPTIONAL(name) functions.name = reinterpret_cast<PFN_vk##name>(get(VKC_HANDLE, "vk" #name));

const char* load_functions(PFN_vkGetInstanceProcAddr get, GlobalFunctions& functions) {
  const char* missing = nullptr;
  functions.GetInstanceProcAddr = get;
#define VKC_HANDLE nullptr
  VKC_GLOBAL_FUNCTIONS(VKC_LOAD)
#undef VKC_HANDLE
  return missing;
}

const char* load_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance, InstanceFunctions& functions) {
  const char* missing = nullptr;
#define VKC_HANDLE instance
  VKC_INSTANCE_FUNCTIONS(VKC_LOAD)
  VKC_INSTANCE_OPTIONAL_FUNCTIONS(VKC_LOAD_OPTIONAL)
#undef VKC_HANDLE
  return missing;
}

const char* load_functions(PFN_vkGetDeviceProcAddr get, VkDevice device, DeviceFunctions& functions) {
  const char* missing = nullptr;
#define VKC_HANDLE device
  VKC_DEVICE_FUNCTIONS(VKC_LOAD)
  VKC_DEVICE_OPTIONAL_FUNCTIONS(VKC_LOAD_OPTIONAL)
#undef VKC_HANDLE
  return missing;
}

}  // namespace vkc::detail
