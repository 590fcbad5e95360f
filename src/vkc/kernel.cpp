#include <vkc/kernel.h>

#include <algorithm>
#include <array>
#include <bit>

#include "spirv/passes/freeze_constants.h"
#include "vkc/kernel_constants.h"
#include "vkc/kernel_limits.h"
#include "vkc/kernel_state.h"

namespace vkc {
namespace detail {
namespace {

std::string described(std::string_view kernel) { return "kernel " + in_quotes(kernel); }

struct FrozenModule {
  spirv::Module module;
  spirv::Reflection reflection;
};

Result<spirv::Reflection> reflected(std::string_view kernel, const spirv::Module& module) {
  auto reflection = spirv::reflect(module);
  if (!reflection)
    return fail(ErrorCode::invalid_module, described(kernel) + ": " + reflection.error().message);
  return std::move(*reflection);
}

// The module with every constant set.
Result<FrozenModule> frozen(const KernelSource& source, std::span<const Constant> constants,
                            const std::optional<KernelGroupSize>& group_size) {
  auto module = spirv::Module::read(source.spirv);
  if (!module) return fail(ErrorCode::invalid_module, described(source.name) + ": " + module.error().message);
  const auto before = reflected(source.name, *module);
  if (!before) return propagate(before);
  const auto values =
      resolve_constants(source.name, before->constants, source.constants, constants, group_size);
  if (!values) return propagate(values);
  const spirv::PassOutcome outcome = spirv::freeze_constants(*module, *values);
  if (outcome.status == spirv::PassStatus::failed) {
    return fail(ErrorCode::invalid_module, described(source.name) + ": " + outcome.message);
  }
  auto after = reflected(source.name, *module);
  if (!after) return propagate(after);
  return FrozenModule{std::move(*module), std::move(*after)};
}

std::string size_text(const KernelGroupSize& size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

KernelGroupSize group_size_of(const spirv::Reflection& frozen) {
  const auto& values = frozen.group_size.values;
  return {values[0].value_or(0), values[1].value_or(0), values[2].value_or(0)};
}

// Each name that can be bound stands for one binding.
Status check_binding_names(std::string_view kernel, const spirv::Reflection& frozen) {
  for (std::size_t i = 0; i < frozen.resources.size(); ++i) {
    const spirv::Resource& resource = frozen.resources[i];
    if (resource.name.empty()) {
      return fail(ErrorCode::invalid_module,
                  described(kernel) + ": binding " + std::to_string(resource.binding) + " of set " +
                      std::to_string(resource.set) + " has no name in the module; compile it with names");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const spirv::Resource& other = frozen.resources[j];
      const bool same_place = other.set == resource.set && other.binding == resource.binding;
      if (!same_place && other.name != resource.name) continue;
      return fail(ErrorCode::invalid_argument, described(kernel) + ": bindings " + in_quotes(other.name) +
                                                   " and " + in_quotes(resource.name) + " share their " +
                                                   (same_place ? "number" : "name"));
    }
  }
  return {};
}

Status check_subgroup_size(std::string_view kernel, const DeviceState& device, const KernelOptions& options) {
  if (!options.subgroup_size) return {};
  const DeviceLimits& limits = device.limits();
  const std::uint32_t size = *options.subgroup_size;
  const std::string what = described(kernel) + ": a subgroup size of " + std::to_string(size);
  if (size < limits.min_subgroup_size || size > limits.max_subgroup_size || !std::has_single_bit(size)) {
    return fail(ErrorCode::limit_exceeded, what + " is not a power of two from min_subgroup_size " +
                                               std::to_string(limits.min_subgroup_size) +
                                               " to max_subgroup_size " +
                                               std::to_string(limits.max_subgroup_size) + " of the device");
  }
  return {};
}

Result<FrozenModule> checked(DeviceState& device, const KernelSource& source,
                             std::span<const Constant> constants,
                             const std::optional<KernelGroupSize>& group_size, const KernelOptions& options) {
  if (auto ok = device.alive(); !ok) return propagate(ok);
  if (auto ok = check_declared_names(source); !ok) return propagate(ok);
  auto result = frozen(source, constants, group_size);
  if (!result) return result;
  const KernelGroupSize size = group_size_of(result->reflection);
  if (group_size && *group_size != size) {
    return fail(ErrorCode::invalid_argument,
                described(source.name) + ": a group size of " + size_text(*group_size) +
                    " is asked for, but the module's is " + size_text(size) +
                    "; is numthreads not (group_size_x, group_size_y, group_size_z)?");
  }
  const PhysicalDevice::State& physical = *device.physical.state();
  const DeviceAbilities abilities{device.limits(), physical.properties.features, physical.newest_spirv,
                                  physical.subgroup_operations};
  if (auto ok = check_kernel(source.name, result->reflection, abilities); !ok) return propagate(ok);
  if (auto ok = check_binding_names(source.name, result->reflection); !ok) return propagate(ok);
  if (auto ok = check_subgroup_size(source.name, device, options); !ok) return propagate(ok);
  return result;
}

std::vector<std::string> dropped_names(const KernelSource& source, const spirv::Reflection& frozen) {
  std::vector<std::string> names;
  for (const DeclaredBinding& declared : source.bindings) {
    const bool used = std::any_of(frozen.resources.begin(), frozen.resources.end(),
                                  [&](const auto& resource) { return resource.name == declared.name; });
    if (!used) names.emplace_back(declared.name);
  }
  return names;
}

}  // namespace

KernelState::~KernelState() {
  const DeviceFunctions& vk = device->vk;
  vk.DestroyPipeline(device->handle, pipeline, nullptr);
  vk.DestroyPipelineLayout(device->handle, layout, nullptr);
  for (VkDescriptorSetLayout set_layout : set_layouts)
    vk.DestroyDescriptorSetLayout(device->handle, set_layout, nullptr);
}

Status KernelState::create(const spirv::Reflection& reflection, std::span<const std::uint32_t> words,
                           const KernelOptions& options) {
  group_size = group_size_of(reflection);
  shared_memory_bytes = static_cast<std::uint32_t>(reflection.shared_memory_bytes);
  push_constants_bytes = reflection.push_constants ? reflection.push_constants->size_bytes : 0;
  for (const spirv::Resource& resource : reflection.resources) {
    const bool storage = resource.kind == spirv::ResourceKind::storage_buffer;
    slots.push_back({resource.name, resource.set, resource.binding,
                     storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                     !resource.readonly});
  }
  if (auto ok = create_set_layouts(); !ok) return ok;
  if (auto ok = create_layout(); !ok) return ok;
  return create_pipeline(reflection.entry_point, words, options);
}

// One layout a set; sets that the kernel leaves out between others are empty.
Status KernelState::create_set_layouts() {
  const std::size_t sets = slots.empty() ? 0 : std::size_t{slots.back().set} + 1;
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const KernelSlot& slot : slots) {
      if (slot.set == set)
        bindings.push_back({slot.binding, slot.type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    auto info =
        vk_struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = static_cast<std::uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    const VkResult result = device->vk.CreateDescriptorSetLayout(device->handle, &info, nullptr, &set_layout);
    if (auto ok = device->check(result, "vkCreateDescriptorSetLayout"); !ok) return ok;
    set_layouts.push_back(set_layout);
  }
  return {};
}

Status KernelState::create_layout() {
  // Sizes of push-constant ranges are multiples of 4.
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, (push_constants_bytes + 3) / 4 * 4};
  auto info = vk_struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = static_cast<std::uint32_t>(set_layouts.size());
  info.pSetLayouts = set_layouts.data();
  info.pushConstantRangeCount = range.size > 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  const VkResult result = device->vk.CreatePipelineLayout(device->handle, &info, nullptr, &layout);
  return device->check(result, "vkCreatePipelineLayout");
}

Status KernelState::create_pipeline(const std::string& entry_point, std::span<const std::uint32_t> words,
                                    const KernelOptions& options) {
  auto module_info = vk_struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = words.size_bytes();
  module_info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  VkResult result = device->vk.CreateShaderModule(device->handle, &module_info, nullptr, &module);
  if (auto ok = device->check(result, "compiling " + described(name)); !ok) return ok;

  auto subgroup = vk_struct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  subgroup.requiredSubgroupSize = options.subgroup_size.value_or(0);
  auto info = vk_struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = entry_point.c_str();
  if (options.subgroup_size && device->properties().features.subgroup_size_control)
    info.stage.pNext = &subgroup;
  info.layout = layout;
  result =
      device->vk.CreateComputePipelines(device->handle, device->pipeline_cache, 1, &info, nullptr, &pipeline);
  device->vk.DestroyShaderModule(device->handle, module, nullptr);
  if (auto ok = device->check(result, "compiling " + described(name)); !ok) return ok;
  device->set_name(VK_OBJECT_TYPE_PIPELINE, pipeline, name);
  device->note_new_pipeline();
  return {};
}

std::optional<std::size_t> KernelState::find_slot(std::string_view binding) const {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name == binding) return i;
  }
  return std::nullopt;
}

bool KernelState::is_dropped(std::string_view binding) const {
  return std::find(dropped_names.begin(), dropped_names.end(), binding) != dropped_names.end();
}

}  // namespace detail

Result<Kernel> Kernel::create(const Device& device, const KernelSource& source, ListView<Constant> constants,
                              std::optional<KernelGroupSize> group_size, const KernelOptions& options) {
  const auto frozen = detail::checked(*device.state(), source, constants.span(), group_size, options);
  if (!frozen) return detail::propagate(frozen);
  auto state = std::make_shared<detail::KernelState>(device.state());
  state->name = source.name;
  state->dropped_names = detail::dropped_names(source, frozen->reflection);
  if (auto created = state->create(frozen->reflection, frozen->module.words(), options); !created) {
    return detail::propagate(created);
  }
  return Kernel(std::move(state));
}

Result<Kernel> Kernel::create(const Device& device, std::span<const std::uint32_t> spirv,
                              ListView<Constant> constants, std::optional<KernelGroupSize> group_size,
                              const KernelOptions& options) {
  return create(device, KernelSource{options.name, spirv}, constants, group_size, options);
}

std::string_view Kernel::name() const { return state_->name; }
KernelGroupSize Kernel::group_size() const { return state_->group_size; }
std::uint32_t Kernel::shared_memory_bytes() const { return state_->shared_memory_bytes; }
std::uint32_t Kernel::push_constants_bytes() const { return state_->push_constants_bytes; }

GroupCount group_count(const Extent& extent, const KernelGroupSize& group_size) {
  const auto divide = [](std::uint32_t size, std::uint32_t group) {
    return size / group + (size % group != 0 ? 1 : 0);
  };
  return {divide(extent.width, group_size.x), divide(extent.height, group_size.y),
          divide(extent.depth, group_size.z)};
}

}  // namespace vkc
