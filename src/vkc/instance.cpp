#include <vkc/instance.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "vkc/instance_state.h"

namespace vkc {
namespace detail {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr std::uint32_t kNewestApi = VK_API_VERSION_1_3;

Severity severity_of(VkDebugUtilsMessageSeverityFlagBitsEXT severity) {
  if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) return Severity::error;
  if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) return Severity::warning;
  return Severity::debug;
}

// Messages of the loader (type GENERAL) are about the machine, not about our use of Vulkan: told, but not
// counted.
VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT flags,
                                          VkDebugUtilsMessageTypeFlagsEXT type,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  auto& state = *static_cast<InstanceState*>(user);
  const bool general = (type & VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) != 0;
  const Severity severity = severity_of(flags);
  if (!general && severity >= Severity::warning) ++state.validation_messages;
  const char* text = data->pMessage != nullptr ? data->pMessage : "";
  state.log(general ? Severity::debug : severity, text);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(InstanceState& state) {
  auto info =
      vk_struct<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = &state;
  return info;
}

std::vector<std::string> instance_extensions(const GlobalFunctions& global) {
  std::uint32_t count = 0;
  global.EnumerateInstanceExtensionProperties(nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> properties(count);
  global.EnumerateInstanceExtensionProperties(nullptr, &count, properties.data());
  std::vector<std::string> names;
  for (const VkExtensionProperties& property : std::span(properties).first(count))
    names.emplace_back(property.extensionName);
  return names;
}

bool has_layer(const GlobalFunctions& global, const char* name) {
  std::uint32_t count = 0;
  global.EnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  global.EnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(),
                     [&](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

Result<std::uint32_t> usable_api_version(const GlobalFunctions& global) {
  std::uint32_t version = VK_API_VERSION_1_0;
  if (const VkResult result = global.EnumerateInstanceVersion(&version); result != VK_SUCCESS) {
    return tl::unexpected(vulkan_error(result, "vkEnumerateInstanceVersion"));
  }
  if (version < VK_API_VERSION_1_1)
    return fail(ErrorCode::not_supported, "the Vulkan loader is older than 1.1; update it");
  return std::min(version, kNewestApi);
}

// Extensions to enable; debug utils and portability enumeration where they are there.
std::vector<const char*> wanted_extensions(const std::vector<std::string>& available) {
  std::vector<const char*> wanted;
  for (const char* name :
       {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME}) {
    if (std::find(available.begin(), available.end(), name) != available.end()) wanted.push_back(name);
  }
  return wanted;
}

bool contains(const std::vector<const char*>& names, const char* name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* other) { return std::strcmp(name, other) == 0; });
}

Status create_handle(InstanceState& state, const InstanceOptions& options) {
  const std::vector<const char*> extensions = wanted_extensions(instance_extensions(state.global));
  const bool debug_utils = contains(extensions, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  std::vector<const char*> layers;
  if (options.validation) {
    if (!debug_utils || !has_layer(state.global, kValidationLayer)) {
      return fail(ErrorCode::not_supported,
                  std::string(kValidationLayer) + " is not installed (Debian: vulkan-validationlayers)");
    }
    layers.push_back(kValidationLayer);
  }

  auto application = vk_struct<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = options.application_name.c_str();
  application.pEngineName = "vkc";
  application.apiVersion = state.api_version;
  auto info = vk_struct<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  info.enabledLayerCount = static_cast<std::uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (contains(extensions, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }
  // Also in the chain, so that messages of creation and destruction arrive.
  VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info(state);
  if (debug_utils) info.pNext = &messages;

  const VkResult result = state.global.CreateInstance(&info, nullptr, &state.handle);
  if (result == VK_SUCCESS) return {};
  Error error = vulkan_error(result, "vkCreateInstance");
  if (error.code == ErrorCode::no_vulkan)
    error.message += "; install the driver of the GPU (Debian: mesa-vulkan-drivers or the vendor's)";
  return tl::unexpected(std::move(error));
}

Status finish(InstanceState& state) {
  if (const char* missing = load_functions(state.global.GetInstanceProcAddr, state.handle, state.functions)) {
    return fail(ErrorCode::no_vulkan, "the Vulkan loader lacks " + std::string(missing));
  }
  if (state.functions.CreateDebugUtilsMessengerEXT != nullptr) {
    const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(state);
    const VkResult result =
        state.functions.CreateDebugUtilsMessengerEXT(state.handle, &info, nullptr, &state.messenger);
    if (result != VK_SUCCESS) return tl::unexpected(vulkan_error(result, "vkCreateDebugUtilsMessengerEXT"));
  }
  return {};
}

}  // namespace

InstanceState::~InstanceState() {
  if (messenger != VK_NULL_HANDLE) functions.DestroyDebugUtilsMessengerEXT(handle, messenger, nullptr);
  if (owned && handle != VK_NULL_HANDLE && functions.DestroyInstance != nullptr)
    functions.DestroyInstance(handle, nullptr);
}

}  // namespace detail

Result<Instance> Instance::create(const InstanceOptions& options) {
  auto loader = detail::Loader::open(options.loader);
  if (!loader) return detail::propagate(loader);
  auto state = std::make_shared<detail::InstanceState>(*loader, options.log);
  if (const char* missing = detail::load_functions((*loader)->get_instance_proc_addr(), state->global)) {
    return detail::fail(ErrorCode::no_vulkan,
                        "the Vulkan loader lacks " + std::string(missing) + "; 1.1 or newer is needed");
  }
  const auto version = detail::usable_api_version(state->global);
  if (!version) return detail::propagate(version);
  state->api_version = *version;
  if (auto created = detail::create_handle(*state, options); !created) return detail::propagate(created);
  if (auto finished = detail::finish(*state); !finished) return detail::propagate(finished);
  return Instance(std::move(state));
}

std::uint64_t Instance::validation_message_count() const { return state_->validation_messages; }

}  // namespace vkc
