#include "plain_vulkan.h"

namespace vkc_overhead {
namespace {

template <typename Struct>
Struct vk_struct(VkStructureType type) {
  Struct result{};
  result.sType = type;
  return result;
}

constexpr VkPipelineStageFlags kStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kReads =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

}  // namespace

PlainVulkan::PlainVulkan(const vkc::Instance& instance, const vkc::Device& device)
    : device_(vkc::native_handle(device)),
      queue_(vkc::native_queue(device)),
      family_(vkc::native_queue_family(device)) {
  const auto get_instance = vkc::native_get_instance_proc_addr(instance);
  const auto get = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
      get_instance(vkc::native_handle(instance), "vkGetDeviceProcAddr"));
#define VKC_OVERHEAD_LOAD(name) name##_ = reinterpret_cast<PFN_vk##name>(get(device_, "vk" #name));
  VKC_OVERHEAD_FUNCTIONS(VKC_OVERHEAD_LOAD)
#undef VKC_OVERHEAD_LOAD
}

PlainVulkan::~PlainVulkan() {
  DestroyFence_(device_, fence_, nullptr);
  DestroyCommandPool_(device_, pool_, nullptr);
  DestroyDescriptorPool_(device_, descriptors_, nullptr);
  DestroyPipeline_(device_, pipeline_, nullptr);
  DestroyPipelineLayout_(device_, layout_, nullptr);
  DestroyDescriptorSetLayout_(device_, set_layout_, nullptr);
}

bool PlainVulkan::create(std::span<const std::uint32_t> spirv, std::uint32_t most_steps) {
  if (!create_layouts() || !create_pipeline(spirv)) return false;
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * most_steps};
  auto descriptors = vk_struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  descriptors.maxSets = most_steps;
  descriptors.poolSizeCount = 1;
  descriptors.pPoolSizes = &size;
  auto pool = vk_struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.queueFamilyIndex = family_;
  const auto fence = vk_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  if (CreateDescriptorPool_(device_, &descriptors, nullptr, &descriptors_) != VK_SUCCESS ||
      CreateCommandPool_(device_, &pool, nullptr, &pool_) != VK_SUCCESS ||
      CreateFence_(device_, &fence, nullptr, &fence_) != VK_SUCCESS) {
    return false;
  }
  auto commands = vk_struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  commands.commandPool = pool_;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  return AllocateCommandBuffers_(device_, &commands, &commands_) == VK_SUCCESS;
}

bool PlainVulkan::create_layouts() {
  constexpr std::array<VkDescriptorSetLayoutBinding, 2> kBindings = {
      {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
       {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}}};
  auto set = vk_struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set.bindingCount = kBindings.size();
  set.pBindings = kBindings.data();
  if (CreateDescriptorSetLayout_(device_, &set, nullptr, &set_layout_) != VK_SUCCESS) return false;
  constexpr VkPushConstantRange kPush{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Push)};
  auto layout = vk_struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &kPush;
  return CreatePipelineLayout_(device_, &layout, nullptr, &layout_) == VK_SUCCESS;
}

bool PlainVulkan::create_pipeline(std::span<const std::uint32_t> spirv) {
  auto module_info = vk_struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = spirv.size_bytes();
  module_info.pCode = spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (CreateShaderModule_(device_, &module_info, nullptr, &module) != VK_SUCCESS) return false;
  auto info = vk_struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = layout_;
  const VkResult result = CreateComputePipelines_(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  DestroyShaderModule_(device_, module, nullptr);
  return result == VK_SUCCESS;
}

bool PlainVulkan::begin() {
  if (ResetCommandPool_(device_, pool_, 0) != VK_SUCCESS) return false;
  if (ResetDescriptorPool_(device_, descriptors_, 0) != VK_SUCCESS) return false;
  const auto info = vk_struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  if (BeginCommandBuffer_(commands_, &info) != VK_SUCCESS) return false;
  barrier();  // behind earlier submissions
  CmdBindPipeline_(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  return true;
}

VkDescriptorSet PlainVulkan::make_set(const Step& step) {
  auto info = vk_struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  info.descriptorPool = descriptors_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &set_layout_;
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (AllocateDescriptorSets_(device_, &info, &set) != VK_SUCCESS) return VK_NULL_HANDLE;
  const std::array<VkDescriptorBufferInfo, 2> buffers = {
      {{step.input.buffer, step.input.offset_bytes, step.input.size_bytes},
       {step.output.buffer, step.output.offset_bytes, step.output.size_bytes}}};
  auto write = vk_struct<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set;
  write.descriptorCount = buffers.size();
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  UpdateDescriptorSets_(device_, 1, &write, 0, nullptr);
  return set;
}

void PlainVulkan::bind(VkDescriptorSet set) {
  CmdBindDescriptorSets_(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
}

void PlainVulkan::barrier() {
  auto info = vk_struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  info.srcAccessMask = kWrites;
  info.dstAccessMask = kReads | kWrites;
  CmdPipelineBarrier_(commands_, kStages, kStages, 0, 1, &info, 0, nullptr, 0, nullptr);
}

void PlainVulkan::dispatch(const Push& push) {
  CmdPushConstants_(commands_, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
  CmdDispatch_(commands_, 1, 1, 1);
}

bool PlainVulkan::submit() {
  auto info = vk_struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  info.srcAccessMask = kWrites;
  info.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  CmdPipelineBarrier_(commands_, kStages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &info, 0, nullptr, 0, nullptr);
  if (EndCommandBuffer_(commands_) != VK_SUCCESS) return false;
  auto submit = vk_struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  return QueueSubmit_(queue_, 1, &submit, fence_) == VK_SUCCESS;
}

bool PlainVulkan::wait() {
  return WaitForFences_(device_, 1, &fence_, VK_TRUE, UINT64_MAX) == VK_SUCCESS &&
         ResetFences_(device_, 1, &fence_) == VK_SUCCESS;
}

}  // namespace vkc_overhead
