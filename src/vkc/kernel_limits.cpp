#include "vkc/kernel_limits.h"

#include <algorithm>
#include <array>

#include "vkc/status.h"

namespace vkc::detail {
namespace {

// A capability of the SPIR-V specification, section 3.31, and what it needs: a feature, operations on
// subgroups, or nothing beyond Vulkan 1.1.
struct Capability {
  std::uint32_t number;
  std::string_view name;
  bool DeviceFeatures::*feature = nullptr;
  std::uint32_t subgroup_operations = 0;
};

constexpr std::uint32_t kBasic = VK_SUBGROUP_FEATURE_BASIC_BIT;

constexpr std::array kCapabilities = {
    Capability{0, "Matrix"},
    Capability{1, "Shader"},
    Capability{9, "Float16", &DeviceFeatures::fp16_arithmetic},
    Capability{10, "Float64", &DeviceFeatures::fp64_arithmetic},
    Capability{11, "Int64", &DeviceFeatures::int64_arithmetic},
    Capability{22, "Int16", &DeviceFeatures::int16_arithmetic},
    Capability{39, "Int8", &DeviceFeatures::int8_arithmetic},
    Capability{43, "Sampled1D"},
    Capability{44, "Image1D"},
    Capability{46, "SampledBuffer"},
    Capability{47, "ImageBuffer"},
    Capability{50, "ImageQuery"},
    Capability{55, "StorageImageReadWithoutFormat", &DeviceFeatures::storage_image_read_without_format},
    Capability{56, "StorageImageWriteWithoutFormat", &DeviceFeatures::storage_image_write_without_format},
    Capability{61, "GroupNonUniform", nullptr, kBasic},
    Capability{62, "GroupNonUniformVote", nullptr, kBasic | VK_SUBGROUP_FEATURE_VOTE_BIT},
    Capability{63, "GroupNonUniformArithmetic", nullptr, kBasic | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
    Capability{64, "GroupNonUniformBallot", nullptr, kBasic | VK_SUBGROUP_FEATURE_BALLOT_BIT},
    Capability{65, "GroupNonUniformShuffle", nullptr, kBasic | VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    Capability{66, "GroupNonUniformShuffleRelative", nullptr,
               kBasic | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
    Capability{67, "GroupNonUniformClustered", nullptr, kBasic | VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
    Capability{68, "GroupNonUniformQuad", nullptr, kBasic | VK_SUBGROUP_FEATURE_QUAD_BIT},
    Capability{4428, "WorkgroupMemoryExplicitLayoutKHR", &DeviceFeatures::shared_memory_layout},
    Capability{4433, "StorageBuffer16BitAccess", &DeviceFeatures::storage_16bit},
    Capability{4434, "UniformAndStorageBuffer16BitAccess", &DeviceFeatures::uniform_and_storage_16bit},
    Capability{4435, "StoragePushConstant16", &DeviceFeatures::push_constant_16bit},
    Capability{4448, "StorageBuffer8BitAccess", &DeviceFeatures::storage_8bit},
    Capability{4449, "UniformAndStorageBuffer8BitAccess", &DeviceFeatures::uniform_and_storage_8bit},
    Capability{4450, "StoragePushConstant8", &DeviceFeatures::push_constant_8bit},
    Capability{5055, "ShaderClockKHR", &DeviceFeatures::shader_clock},
    Capability{5345, "VulkanMemoryModel", &DeviceFeatures::vulkan_memory_model},
    Capability{5346, "VulkanMemoryModelDeviceScope", &DeviceFeatures::vulkan_memory_model_device_scope},
    Capability{6022, "CooperativeMatrixKHR", &DeviceFeatures::cooperative_matrix},
};

Status check_capability(const std::string& kernel, std::uint32_t number, const DeviceAbilities& device) {
  const auto known = std::find_if(kCapabilities.begin(), kCapabilities.end(),
                                  [&](const Capability& other) { return other.number == number; });
  if (known == kCapabilities.end()) {
    return fail(ErrorCode::not_supported,
                kernel + " needs SPIR-V capability " + std::to_string(number) + ", which vkc does not know");
  }
  const bool lacks_feature = known->feature != nullptr && !(device.features.*(known->feature));
  const bool lacks_operation = (known->subgroup_operations & ~device.subgroup_operations) != 0;
  if (!lacks_feature && !lacks_operation) return {};
  return fail(ErrorCode::not_supported,
              kernel + " needs SPIR-V capability " + std::string(known->name) + ", which the device lacks");
}

Status check_needs(const std::string& kernel, const spirv::Reflection& frozen,
                   const DeviceAbilities& device) {
  const auto text = [](spirv::Version version) {
    return std::to_string(version.major) + "." + std::to_string(version.minor);
  };
  if (frozen.version > device.newest_spirv) {
    return fail(ErrorCode::not_supported, kernel + " is SPIR-V " + text(frozen.version) +
                                              ", and the device takes at most " + text(device.newest_spirv));
  }
  for (const std::uint32_t capability : frozen.capabilities) {
    if (auto ok = check_capability(kernel, capability, device); !ok) return ok;
  }
  return {};
}

Status check_group(const std::string& kernel, const spirv::Reflection& frozen, const DeviceLimits& limits) {
  std::uint64_t invocations = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string dimension(1, "xyz"[i]);
    const std::uint32_t size = frozen.group_size.values[i].value_or(0);
    if (size == 0)
      return fail(ErrorCode::invalid_module, kernel + " has no positive group size " + dimension);
    if (size > limits.max_group_size[i]) {
      return tl::unexpected(limit_error(kernel + ": group size " + dimension, size,
                                        "max_group_size[" + std::to_string(i) + "]",
                                        limits.max_group_size[i]));
    }
    invocations *= size;
  }
  if (invocations > limits.max_group_invocations) {
    return tl::unexpected(limit_error(kernel + ": a group", invocations, "max_group_invocations",
                                      limits.max_group_invocations));
  }
  if (frozen.shared_memory_bytes > limits.max_shared_memory_bytes) {
    return tl::unexpected(limit_error(kernel + ": shared memory in bytes", frozen.shared_memory_bytes,
                                      "max_shared_memory_bytes", limits.max_shared_memory_bytes));
  }
  return {};
}

Status check_resources(const std::string& kernel, const spirv::Reflection& frozen,
                       const DeviceLimits& limits) {
  std::uint32_t storage_buffers = 0;
  std::uint32_t uniform_buffers = 0;
  for (const spirv::Resource& resource : frozen.resources) {
    const std::string what = kernel + ": binding " + in_quotes(resource.name);
    const bool storage = resource.kind == spirv::ResourceKind::storage_buffer;
    if (!storage && resource.kind != spirv::ResourceKind::uniform_buffer) {
      return fail(ErrorCode::not_supported, what + " is a " + std::string(to_text(resource.kind)) +
                                                "; vkc binds storage and uniform buffers");
    }
    if (resource.count != 1)
      return fail(ErrorCode::not_supported, what + " is an array of resources, which vkc cannot bind");
    if (resource.set >= limits.max_bound_descriptor_sets) {
      return tl::unexpected(limit_error(what + ": descriptor set index", resource.set,
                                        "max_bound_descriptor_sets", limits.max_bound_descriptor_sets));
    }
    ++(storage ? storage_buffers : uniform_buffers);
  }
  if (storage_buffers > limits.max_storage_buffers_per_kernel) {
    return tl::unexpected(limit_error(kernel + ": number of storage buffers", storage_buffers,
                                      "max_storage_buffers_per_kernel",
                                      limits.max_storage_buffers_per_kernel));
  }
  if (uniform_buffers > limits.max_uniform_buffers_per_kernel) {
    return tl::unexpected(limit_error(kernel + ": number of uniform buffers", uniform_buffers,
                                      "max_uniform_buffers_per_kernel",
                                      limits.max_uniform_buffers_per_kernel));
  }
  const std::uint32_t push = frozen.push_constants ? frozen.push_constants->size_bytes : 0;
  if (push > limits.max_push_constants_bytes) {
    return tl::unexpected(limit_error(kernel + ": push constants in bytes", push, "max_push_constants_bytes",
                                      limits.max_push_constants_bytes));
  }
  return {};
}

}  // namespace

Status check_kernel(std::string_view name, const spirv::Reflection& frozen, const DeviceAbilities& device) {
  const std::string kernel = "kernel " + in_quotes(name);
  if (auto ok = check_needs(kernel, frozen, device); !ok) return ok;
  if (auto ok = check_group(kernel, frozen, device.limits); !ok) return ok;
  return check_resources(kernel, frozen, device.limits);
}

}  // namespace vkc::detail
