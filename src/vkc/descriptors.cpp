#include "vkc/descriptors.h"

#include <algorithm>
#include <array>

namespace vkc::detail {
namespace {

constexpr std::uint32_t kSetsPerPool = 256;
constexpr std::uint32_t kStorageBuffersPerPool = 6 * kSetsPerPool;
constexpr std::uint32_t kOthersPerPool = kSetsPerPool;

}  // namespace

DescriptorPools::~DescriptorPools() {
  for (VkDescriptorPool pool : pools_) device_.vk.DestroyDescriptorPool(device_.handle, pool, nullptr);
}

Status DescriptorPools::add_pool(std::uint32_t descriptors) {
  const std::uint32_t others = std::max(kOthersPerPool, descriptors);
  const std::array<VkDescriptorPoolSize, 6> sizes = {
      {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, std::max(kStorageBuffersPerPool, descriptors)},
       {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, others},
       {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, others},
       {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, others},
       {VK_DESCRIPTOR_TYPE_SAMPLER, others},
       {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, others}}};
  auto info = vk_struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = kSetsPerPool;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  const VkResult result = device_.vk.CreateDescriptorPool(device_.handle, &info, nullptr, &pool);
  if (auto ok = device_.check(result, "vkCreateDescriptorPool"); !ok) return ok;
  pools_.push_back(pool);
  return {};
}

Status DescriptorPools::allocate(std::span<const VkDescriptorSetLayout> layouts, std::uint32_t largest,
                                 std::vector<VkDescriptorSet>& sets) {
  sets.resize(layouts.size());
  if (layouts.empty()) return {};
  auto info = vk_struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  info.descriptorSetCount = static_cast<std::uint32_t>(layouts.size());
  info.pSetLayouts = layouts.data();
  while (true) {
    const bool is_new = current_ == pools_.size();
    if (is_new) {
      if (auto ok = add_pool(largest); !ok) return ok;
    }
    info.descriptorPool = pools_[current_];
    const VkResult result = device_.vk.AllocateDescriptorSets(device_.handle, &info, sets.data());
    const bool full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
    if (!full || is_new) return device_.check(result, "vkAllocateDescriptorSets");
    ++current_;
  }
}

Status DescriptorPools::reset() {
  for (VkDescriptorPool pool : pools_) {
    const VkResult result = device_.vk.ResetDescriptorPool(device_.handle, pool, 0);
    if (auto ok = device_.check(result, "vkResetDescriptorPool"); !ok) return ok;
  }
  current_ = 0;
  return {};
}

}  // namespace vkc::detail
