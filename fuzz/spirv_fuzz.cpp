// Any bytes as a kernel's module: read, reflected, its constants set, and checked as for a device that can do
// everything.
#include <vkc/kernel.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spirv/module.h"
#include "spirv/passes/freeze_constants.h"
#include "spirv/reflect.h"
#include "vkc/kernel_interface.h"

namespace {

// A rule that must hold for every input; libFuzzer reports the abort with the bytes that led to it.
void must(bool holds) {
  if (!holds) std::abort();
}

vkc::DeviceLimits generous_limits() {
  vkc::DeviceLimits limits;
  limits.max_group_size = {1024, 1024, 1024};
  limits.max_group_invocations = 1024;
  limits.max_shared_memory_bytes = 1 << 16;
  limits.max_push_constants_bytes = 256;
  limits.max_bound_descriptor_sets = 8;
  limits.max_storage_buffers_per_kernel = limits.max_uniform_buffers_per_kernel = 64;
  limits.max_storage_images_per_kernel = limits.max_sampled_images_per_kernel = 64;
  limits.max_samplers_per_kernel = 64;
  limits.max_resources_per_kernel = 256;
  return limits;
}

// Every feature is a bool.
vkc::DeviceFeatures all_features() {
  std::array<bool, sizeof(vkc::DeviceFeatures)> features;
  features.fill(true);
  return std::bit_cast<vkc::DeviceFeatures>(features);
}

vkc::ConstantValue default_of(const spirv::SpecConstant& constant) {
  switch (constant.type.kind) {
    case spirv::ScalarType::Kind::boolean:
      return constant.default_bits != 0;
    case spirv::ScalarType::Kind::floating_point:
      return spirv::float_value(constant.type.width_bits, constant.default_bits);
    case spirv::ScalarType::Kind::signed_integer:
    case spirv::ScalarType::Kind::unsigned_integer:
      break;
  }
  return constant.default_bits & 0x7F;  // fits every width
}

// As Kernel::create does it, short of the driver.
void make_kernel(std::span<const std::uint32_t> words, const spirv::Reflection& reflection) {
  std::vector<vkc::Constant> constants;
  for (const spirv::SpecConstant& constant : reflection.constants)
    constants.push_back({constant.name, default_of(constant)});
  const vkc::DeviceLimits limits = generous_limits();
  const vkc::DeviceFeatures features = all_features();
  const vkc::KernelSource source{"fuzz", words};
  for (const std::optional<vkc::KernelGroupSize>& group_size :
       {std::optional<vkc::KernelGroupSize>(), std::optional(vkc::KernelGroupSize{8, 4, 2})}) {
    const auto frozen =
        vkc::detail::freeze_kernel(source, constants, group_size, {limits, features, {1, 6}, UINT32_MAX});
    if (!frozen) {
      must(!frozen.error().message.empty());
      continue;
    }
    const vkc::KernelGroupSize size = vkc::detail::group_size_of(frozen->reflection);
    must(size.x > 0 && size.y > 0 && size.z > 0 && std::uint64_t{size.x} * size.y * size.z <= 1024);
    must(frozen->reflection.constants.empty());
    for (const spirv::Resource& resource : frozen->reflection.resources)
      must(vkc::detail::descriptor_type(resource.kind) && resource.set < 8 && !resource.name.empty());
    for (const spirv::SampledPair& pair : frozen->reflection.sampled_pairs) {
      must(frozen->reflection.resources.at(pair.image).kind == spirv::ResourceKind::sampled_image);
      must(frozen->reflection.resources.at(pair.sampler).kind == spirv::ResourceKind::sampler);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size_bytes) {
  const auto module = spirv::Module::read_bytes(std::as_bytes(std::span(data, size_bytes)));
  if (!module) {
    must(!module.error().message.empty());
    return 0;
  }
  const auto reflection = spirv::reflect(*module);
  if (!reflection) {
    must(!reflection.error().message.empty());
    return 0;
  }
  spirv::Module frozen = *module;
  const spirv::PassOutcome outcome = spirv::freeze_constants(frozen, {});
  if (outcome.status == spirv::PassStatus::failed) {
    must(frozen.words() == module->words());
  } else {
    must(spirv::Module::read(frozen.words()).has_value());
  }
  make_kernel(module->words(), *reflection);
  return 0;
}
