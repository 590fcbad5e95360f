#include "vkc/kernel_limits.h"

#include <algorithm>
#include <array>

#include <vkc/kernel.h>

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
    Capability{25, "ImageGatherExtended", &DeviceFeatures::image_gather_extended},
    Capability{39, "Int8", &DeviceFeatures::int8_arithmetic},
    Capability{43, "Sampled1D"},
    Capability{44, "Image1D"},
    Capability{46, "SampledBuffer"},
    Capability{47, "ImageBuffer"},
    Capability{49, "StorageImageExtendedFormats", &DeviceFeatures::storage_image_extended_formats},
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

std::string dimension_text(std::uint32_t dimension) {
  constexpr std::array kNames = {"1-D", "2-D", "3-D", "cube", "rectangle"};
  return dimension < kNames.size() ? kNames[dimension] : "dimension " + std::to_string(dimension);
}

Status check_image(const std::string& what, const spirv::ImageType& image, bool storage) {
  const bool plain = !image.arrayed && !image.multisampled;
  if ((image.dimension != spirv::kDim2D && image.dimension != spirv::kDim3D) || !plain) {
    return fail(ErrorCode::not_supported, what + " is a " + dimension_text(image.dimension) + " image" +
                                              (image.arrayed ? " with layers" : "") +
                                              (image.multisampled ? " with several samples a texel" : "") +
                                              "; vkc binds plain 2-D and 3-D images");
  }
  if (!texel_kind(image))
    return fail(ErrorCode::not_supported, what + " has channels of a type that no format of vkc has");
  if (storage && image.format != 0 && format_of_spirv(image.format) == nullptr) {
    return fail(ErrorCode::not_supported, what + " is declared with SPIR-V image format " +
                                              std::to_string(image.format) + ", which vkc does not have");
  }
  return {};
}

Status check_resource(const std::string& kernel, const spirv::Resource& resource,
                      const DeviceLimits& limits) {
  const std::string what = kernel + ": binding " + in_quotes(resource.name);
  if (!descriptor_type(resource.kind)) {
    return fail(ErrorCode::not_supported, what + " is a " + std::string(to_text(resource.kind)) +
                                              "; vkc binds buffers, images and samplers");
  }
  if (resource.count != 1)
    return fail(ErrorCode::not_supported, what + " is an array of resources, which vkc cannot bind");
  if (resource.set >= limits.max_bound_descriptor_sets) {
    return tl::unexpected(limit_error(what + ": descriptor set index", resource.set,
                                      "max_bound_descriptor_sets", limits.max_bound_descriptor_sets));
  }
  if (resource.binding > kMostBindingNumber) {
    return fail(ErrorCode::limit_exceeded, what + ": binding number " + std::to_string(resource.binding) +
                                               " is beyond the most that vkc takes, " +
                                               std::to_string(kMostBindingNumber));
  }
  if (resource.image)
    return check_image(what, *resource.image, resource.kind == spirv::ResourceKind::storage_image);
  return {};
}

Status check_counts(const std::string& kernel, const spirv::Reflection& frozen, const DeviceLimits& limits) {
  using enum spirv::ResourceKind;
  const auto count = [&](std::initializer_list<spirv::ResourceKind> kinds) {
    return static_cast<std::uint32_t>(
        std::count_if(frozen.resources.begin(), frozen.resources.end(), [&](const spirv::Resource& resource) {
          return std::find(kinds.begin(), kinds.end(), resource.kind) != kinds.end();
        }));
  };
  struct Counted {
    std::uint32_t count;
    const char* what;
    const char* limit;
    std::uint32_t most;
  };
  const std::array all = {
      Counted{count({storage_buffer}), "storage buffers", "max_storage_buffers_per_kernel",
              limits.max_storage_buffers_per_kernel},
      Counted{count({uniform_buffer}), "uniform buffers", "max_uniform_buffers_per_kernel",
              limits.max_uniform_buffers_per_kernel},
      Counted{count({storage_image}), "storage images", "max_storage_images_per_kernel",
              limits.max_storage_images_per_kernel},
      Counted{count({sampled_image, image_and_sampler}), "sampled images", "max_sampled_images_per_kernel",
              limits.max_sampled_images_per_kernel},
      Counted{count({sampler, image_and_sampler}), "samplers", "max_samplers_per_kernel",
              limits.max_samplers_per_kernel},
      Counted{count({storage_buffer, uniform_buffer, storage_image, sampled_image, image_and_sampler}),
              "bindings", "max_resources_per_kernel", limits.max_resources_per_kernel}};
  for (const Counted& kind : all) {
    if (kind.count <= kind.most) continue;
    return tl::unexpected(
        limit_error(kernel + ": number of " + kind.what, kind.count, kind.limit, kind.most));
  }
  return {};
}

Status check_resources(const std::string& kernel, const spirv::Reflection& frozen,
                       const DeviceLimits& limits) {
  for (const spirv::Resource& resource : frozen.resources) {
    if (auto ok = check_resource(kernel, resource, limits); !ok) return ok;
  }
  if (auto ok = check_counts(kernel, frozen, limits); !ok) return ok;
  const std::uint32_t push = frozen.push_constants ? frozen.push_constants->size_bytes : 0;
  if (push > limits.max_push_constants_bytes) {
    return tl::unexpected(limit_error(kernel + ": push constants in bytes", push, "max_push_constants_bytes",
                                      limits.max_push_constants_bytes));
  }
  return {};
}

}  // namespace

std::optional<VkDescriptorType> descriptor_type(spirv::ResourceKind kind) {
  switch (kind) {
    case spirv::ResourceKind::storage_buffer:
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    case spirv::ResourceKind::uniform_buffer:
      return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case spirv::ResourceKind::storage_image:
      return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case spirv::ResourceKind::sampled_image:
      return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case spirv::ResourceKind::sampler:
      return VK_DESCRIPTOR_TYPE_SAMPLER;
    case spirv::ResourceKind::image_and_sampler:
      return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    default:
      return std::nullopt;
  }
}

std::optional<TexelKind> texel_kind(const spirv::ImageType& image) {
  constexpr std::uint32_t kWidestBits = 32;
  if (!image.channel || image.channel->width_bits > kWidestBits) return std::nullopt;
  switch (image.channel->kind) {
    case spirv::ScalarType::Kind::floating_point:
      return TexelKind::floating_point;
    case spirv::ScalarType::Kind::unsigned_integer:
      return TexelKind::unsigned_integer;
    case spirv::ScalarType::Kind::signed_integer:
      return TexelKind::signed_integer;
    case spirv::ScalarType::Kind::boolean:
      break;
  }
  return std::nullopt;
}

Status check_kernel(std::string_view name, const spirv::Reflection& frozen, const DeviceAbilities& device) {
  const std::string kernel = "kernel " + in_quotes(name);
  if (auto ok = check_needs(kernel, frozen, device); !ok) return ok;
  if (auto ok = check_group(kernel, frozen, device.limits); !ok) return ok;
  return check_resources(kernel, frozen, device.limits);
}

}  // namespace vkc::detail
