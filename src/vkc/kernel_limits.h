// Whether a device can run a module. Needs what the device told about itself, not the device.
#pragma once

#include <optional>
#include <string_view>

#include <vkc/error.h>
#include <vkc/instance.h>

#include "spirv/reflect.h"
#include "vkc/image_formats.h"
#include "vkc/vulkan_api.h"

namespace vkc::detail {

// What the check needs to know of a device.
struct DeviceAbilities {
  const DeviceLimits& limits;
  const DeviceFeatures& features;
  spirv::Version newest_spirv;
  std::uint32_t subgroup_operations = 0;  // VkSubgroupFeatureFlags
};

// `frozen`: the reflection of a module without specialization constants. Errors: not_supported (SPIR-V
// version, a capability, a kind of resource), limit_exceeded (group size, invocations, shared memory, push
// constants, sets, bindings), invalid_module (a group size of 0 or unknown).
Status check_kernel(std::string_view kernel, const spirv::Reflection& frozen, const DeviceAbilities& device);

// What a binding of that kind is to Vulkan; empty for kinds that vkc cannot bind.
std::optional<VkDescriptorType> descriptor_type(spirv::ResourceKind kind);
// What the kernel reads a channel as; empty for types that vkc's formats do not have (64 bits).
std::optional<TexelKind> texel_kind(const spirv::ImageType& image);

}  // namespace vkc::detail
