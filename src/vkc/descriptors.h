// Descriptor sets of a recording.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vkc/device_state.h"

namespace vkc::detail {

// What a set holds for one binding, in the form that descriptor update templates read.
union Descriptor {
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo image;  // or sampler, or both

  Descriptor() : buffer{} {}
};

// Pools that grow as a recording needs more sets; reset() keeps them for the next one.
class DescriptorPools {
 public:
  explicit DescriptorPools(DeviceState& device) : device_(device) {}
  DescriptorPools(const DescriptorPools&) = delete;
  DescriptorPools& operator=(const DescriptorPools&) = delete;
  ~DescriptorPools();

  // A set for each layout. largest: most descriptors of any kind that they hold together.
  Status allocate(std::span<const VkDescriptorSetLayout> layouts, std::uint32_t largest,
                  std::vector<VkDescriptorSet>& sets);
  Status reset();

 private:
  Status add_pool(std::uint32_t descriptors);
  DeviceState& device_;
  std::vector<VkDescriptorPool> pools_;
  std::size_t current_ = 0;
};

}  // namespace vkc::detail
