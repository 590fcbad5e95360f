// The dispatches of vkc_overhead.cpp in plain Vulkan, as one writes them by hand for this one kernel: no
// checks, no names, no tracking, the barriers where the author knows that they are needed.
#pragma once

#include <vkc/native.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vkc_overhead {

struct Push {
  std::uint32_t count;
  float factor;
};

// A piece of a buffer.
struct Piece {
  VkBuffer buffer;
  VkDeviceSize offset_bytes;
  VkDeviceSize size_bytes;
};

struct Step {
  Piece input;
  Piece output;
};

#define VKC_OVERHEAD_FUNCTIONS(X) \
  X(AllocateCommandBuffers)       \
  X(AllocateDescriptorSets)       \
  X(BeginCommandBuffer)           \
  X(CmdBindDescriptorSets)        \
  X(CmdBindPipeline)              \
  X(CmdDispatch)                  \
  X(CmdPipelineBarrier)           \
  X(CmdPushConstants)             \
  X(CreateCommandPool)            \
  X(CreateComputePipelines)       \
  X(CreateDescriptorPool)         \
  X(CreateDescriptorSetLayout)    \
  X(CreateFence)                  \
  X(CreatePipelineLayout)         \
  X(CreateShaderModule)           \
  X(DestroyCommandPool)           \
  X(DestroyDescriptorPool)        \
  X(DestroyDescriptorSetLayout)   \
  X(DestroyFence)                 \
  X(DestroyPipeline)              \
  X(DestroyPipelineLayout)        \
  X(DestroyShaderModule)          \
  X(EndCommandBuffer)             \
  X(QueueSubmit)                  \
  X(ResetCommandPool)             \
  X(ResetDescriptorPool)          \
  X(ResetFences)                  \
  X(UpdateDescriptorSets)         \
  X(WaitForFences)

// A program of this size stops at the first error: every member returns false then.
class PlainVulkan {
 public:
  PlainVulkan(const vkc::Instance& instance, const vkc::Device& device);
  PlainVulkan(const PlainVulkan&) = delete;
  PlainVulkan& operator=(const PlainVulkan&) = delete;
  ~PlainVulkan();

  // spirv: of the kernel step. most_steps: of any recording.
  bool create(std::span<const std::uint32_t> spirv, std::uint32_t most_steps);
  // Forgets the last recording and begins the next one.
  bool begin();
  // A descriptor set for the step's pieces, valid until begin().
  VkDescriptorSet make_set(const Step& step);
  void bind(VkDescriptorSet set);
  void barrier();
  void dispatch(const Push& push);
  bool submit();
  bool wait();

 private:
  bool create_layouts();
  bool create_pipeline(std::span<const std::uint32_t> spirv);

  VkDevice device_;
  VkQueue queue_;
  std::uint32_t family_;
#define VKC_OVERHEAD_MEMBER(name) PFN_vk##name name##_ = nullptr;
  VKC_OVERHEAD_FUNCTIONS(VKC_OVERHEAD_MEMBER)
#undef VKC_OVERHEAD_MEMBER
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace vkc_overhead
