#include <vkc/kernel.h>

#include <algorithm>
#include <bit>

#include "vkc/descriptors.h"
#include "vkc/kernel_interface.h"
#include "vkc/kernel_limits.h"
#include "vkc/kernel_state.h"

namespace vkc {
namespace detail {
namespace {

std::string described(std::string_view kernel) { return "kernel " + in_quotes(kernel); }

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

Result<FrozenModule> checked(const DeviceState& device, const KernelSource& source,
                             std::span<const Constant> constants,
                             const std::optional<KernelGroupSize>& group_size, const KernelOptions& options) {
  if (auto ok = device.alive(); !ok) return propagate(ok);
  const PhysicalDevice::State& physical = *device.physical.state();
  const DeviceAbilities abilities{device.limits(), physical.properties.features, physical.newest_spirv,
                                  physical.subgroup_operations};
  auto result = freeze_kernel(source, constants, group_size, abilities, options.trusted);
  if (!result) return result;
  if (auto ok = check_subgroup_size(source.name, device, options); !ok) return propagate(ok);
  return result;
}

KernelSlot slot_of(const spirv::Resource& resource, const DeviceLimits& limits) {
  KernelSlot slot{resource.name, resource.set, resource.binding};
  slot.type = descriptor_type(resource.kind).value_or(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  slot.written = !resource.readonly;
  slot.grows = resource.grows;
  slot.least_range_bytes = std::max<std::uint64_t>(1, resource.least_range_bytes);
  if (slot.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
    slot.largest_range_bytes = limits.max_storage_buffer_range_bytes;
    slot.offset_mask = limits.min_storage_buffer_offset_alignment_bytes - 1;
  } else if (slot.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) {
    slot.largest_range_bytes = limits.max_uniform_buffer_range_bytes;
    slot.offset_mask = limits.min_uniform_buffer_offset_alignment_bytes - 1;
  }
  if (!resource.image) return slot;
  slot.dimensions = resource.image->dimension == spirv::kDim3D ? 3 : 2;
  // Of sampled images compilers declare what they like; it binds nobody.
  if (resource.kind == spirv::ResourceKind::storage_image)
    slot.format = format_of_spirv(resource.image->format);
  slot.texel_kind = texel_kind(*resource.image).value_or(TexelKind::floating_point);
  return slot;
}

}  // namespace

KernelState::~KernelState() {
  const DeviceFunctions& vk = device->vk;
  vk.DestroyPipeline(device->handle, pipeline, nullptr);
  vk.DestroyPipelineLayout(device->handle, layout, nullptr);
  for (VkDescriptorUpdateTemplate set_template : set_templates)
    vk.DestroyDescriptorUpdateTemplate(device->handle, set_template, nullptr);
  for (VkDescriptorSetLayout set_layout : set_layouts)
    vk.DestroyDescriptorSetLayout(device->handle, set_layout, nullptr);
}

Status KernelState::create(const spirv::Reflection& reflection, std::span<const std::uint32_t> words,
                           const KernelOptions& options) {
  group_size = group_size_of(reflection);
  shared_memory_bytes = static_cast<std::uint32_t>(reflection.shared_memory_bytes);
  push_constants_bytes = reflection.push_constants ? reflection.push_constants->size_bytes : 0;
  for (const spirv::Resource& resource : reflection.resources)
    slots.push_back(slot_of(resource, device->limits()));
  sampled_pairs = reflection.sampled_pairs;
  const bool one_set = !slots.empty() && slots.back().set == 0;
  pushes_descriptors = one_set && slots.size() <= device->physical.state()->max_push_descriptors &&
                       device->vk.CmdPushDescriptorSetWithTemplateKHR != nullptr;
  if (auto ok = create_set_layouts(); !ok) return ok;
  if (auto ok = create_layout(); !ok) return ok;
  if (auto ok = create_set_templates(); !ok) return ok;
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
    if (pushes_descriptors) info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    info.bindingCount = static_cast<std::uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    const VkResult result = device->vk.CreateDescriptorSetLayout(device->handle, &info, nullptr, &set_layout);
    if (auto ok = device->check(result, "vkCreateDescriptorSetLayout"); !ok) return ok;
    set_layouts.push_back(set_layout);
  }
  return {};
}

// One template a set, null for empty ones: from an array with one Descriptor a slot.
Status KernelState::create_set_templates() {
  set_templates.resize(set_layouts.size(), VK_NULL_HANDLE);
  for (std::size_t set = 0; set < set_layouts.size(); ++set) {
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].set != set) continue;
      entries.push_back({slots[i].binding, 0, 1, slots[i].type, i * sizeof(Descriptor), sizeof(Descriptor)});
    }
    if (entries.empty()) continue;
    auto info = vk_struct<VkDescriptorUpdateTemplateCreateInfo>(
        VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO);
    info.descriptorUpdateEntryCount = static_cast<std::uint32_t>(entries.size());
    info.pDescriptorUpdateEntries = entries.data();
    info.templateType = pushes_descriptors ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR
                                           : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    info.descriptorSetLayout = set_layouts[set];
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    info.pipelineLayout = layout;
    info.set = static_cast<std::uint32_t>(set);
    const VkResult result =
        device->vk.CreateDescriptorUpdateTemplate(device->handle, &info, nullptr, &set_templates[set]);
    if (auto ok = device->check(result, "vkCreateDescriptorUpdateTemplate"); !ok) return ok;
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
  has_statistics = options.statistics && device->properties().features.pipeline_statistics;
  if (has_statistics) info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  result =
      device->vk.CreateComputePipelines(device->handle, device->pipeline_cache, 1, &info, nullptr, &pipeline);
  device->vk.DestroyShaderModule(device->handle, module, nullptr);
  if (auto ok = device->check(result, "compiling " + described(name)); !ok) return ok;
  device->set_name(VK_OBJECT_TYPE_PIPELINE, pipeline, name);
  device->note_new_pipeline();
  return {};
}

std::optional<std::size_t> KernelState::find_slot(std::string_view binding, std::size_t first) const {
  const std::size_t count = slots.size();
  for (std::size_t i = 0, slot = first; i < count; ++i, ++slot) {
    if (slot >= count) slot = 0;
    if (slots[slot].name == binding) return slot;
  }
  return std::nullopt;
}

const std::string* KernelState::find_dropped(std::string_view binding) const {
  const auto at = std::find(dropped_names.begin(), dropped_names.end(), binding);
  return at == dropped_names.end() ? nullptr : &*at;
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
    return group == 0 ? 0 : size / group + (size % group != 0 ? 1 : 0);
  };
  return {divide(extent.width, group_size.x), divide(extent.height, group_size.y),
          divide(extent.depth, group_size.z)};
}

}  // namespace vkc
