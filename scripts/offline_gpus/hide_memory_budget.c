/* A Vulkan driver that is another one without VK_EXT_memory_budget: without a GPU, Mesa's driver for AMD
 * crashes when it is asked how much memory is free. DRIVER is the other one's path. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

typedef PFN_vkVoidFunction(VKAPI_PTR* GetProcAddr)(VkInstance, const char*);
typedef VkResult(VKAPI_PTR* Negotiate)(uint32_t*);

static PFN_vkEnumerateDeviceExtensionProperties enumerate;

static void* driver_function(const char* name) {
  void* driver = dlopen(DRIVER, RTLD_NOW);
  return driver == NULL ? NULL : dlsym(driver, name);
}

static VkResult give(const VkExtensionProperties* all, uint32_t count, uint32_t* room,
                     VkExtensionProperties* to) {
  if (to == NULL) {
    *room = count;
    return VK_SUCCESS;
  }
  const VkResult result = *room < count ? VK_INCOMPLETE : VK_SUCCESS;
  if (*room > count) *room = count;
  memcpy(to, all, *room * sizeof *all);
  return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_without_budget(VkPhysicalDevice device, const char* layer,
                                                               uint32_t* count,
                                                               VkExtensionProperties* properties) {
  uint32_t all_count = 0;
  VkResult result = enumerate(device, layer, &all_count, NULL);
  if (result != VK_SUCCESS) return result;
  VkExtensionProperties* all = calloc(all_count + 1, sizeof *all);
  if (all == NULL) return VK_ERROR_OUT_OF_HOST_MEMORY;
  result = enumerate(device, layer, &all_count, all);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < all_count; ++i) {
    if (strcmp(all[i].extensionName, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) != 0) all[kept++] = all[i];
  }
  if (result == VK_SUCCESS) result = give(all, kept, count, properties);
  free(all);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  const Negotiate negotiate = (Negotiate)driver_function("vk_icdNegotiateLoaderICDInterfaceVersion");
  return negotiate == NULL ? VK_ERROR_INITIALIZATION_FAILED : negotiate(version);
}

static PFN_vkVoidFunction replaced(const char* name, PFN_vkVoidFunction function) {
  if (function == NULL || strcmp(name, "vkEnumerateDeviceExtensionProperties") != 0) return function;
  enumerate = (PFN_vkEnumerateDeviceExtensionProperties)function;
  return (PFN_vkVoidFunction)enumerate_without_budget;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  const GetProcAddr get = (GetProcAddr)driver_function("vk_icdGetInstanceProcAddr");
  return get == NULL ? NULL : replaced(name, get(instance, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                                         const char* name) {
  const GetProcAddr get = (GetProcAddr)driver_function("vk_icdGetPhysicalDeviceProcAddr");
  return get == NULL ? NULL : replaced(name, get(instance, name));
}
