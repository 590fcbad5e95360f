#include "vkc/memory_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using vkc::MemoryKind;
using vkc::detail::suitable_memory_types;

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr std::uint32_t kAll = 0xFFFFFFFF;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

VkPhysicalDeviceMemoryProperties memory(std::vector<VkMemoryType> types, std::vector<std::uint64_t> heaps) {
  VkPhysicalDeviceMemoryProperties properties = {};
  properties.memoryTypeCount = static_cast<std::uint32_t>(types.size());
  std::copy(types.begin(), types.end(), properties.memoryTypes);
  properties.memoryHeapCount = static_cast<std::uint32_t>(heaps.size());
  for (std::size_t i = 0; i < heaps.size(); ++i) properties.memoryHeaps[i].size = heaps[i];
  return properties;
}

// As a discrete GPU with a small window into its memory: heap 0 its own, heap 1 the host's, heap 2 the
// window.
const VkPhysicalDeviceMemoryProperties kDiscrete = memory({{kLocal, 0},
                                                           {kVisible | kCoherent, 1},
                                                           {kVisible | kCoherent | kCached, 1},
                                                           {kLocal | kVisible | kCoherent, 2}},
                                                          {8 * kGiB, 16 * kGiB, kGiB / 4});

TEST(MemoryTypes, OfADiscreteDevice) {
  EXPECT_THAT(suitable_memory_types(kDiscrete, kAll, kGiB / 8, MemoryKind::device, false),
              ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(suitable_memory_types(kDiscrete, kAll, kGiB / 8, MemoryKind::upload, false),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(suitable_memory_types(kDiscrete, kAll, kGiB / 8, MemoryKind::download, false),
              ElementsAre(2, 1, 3));
}

TEST(MemoryTypes, HeapsMustBeLargeEnough) {
  EXPECT_THAT(suitable_memory_types(kDiscrete, kAll, kGiB, MemoryKind::upload, false), ElementsAre(1, 2));
  EXPECT_THAT(suitable_memory_types(kDiscrete, kAll, 20 * kGiB, MemoryKind::device, false), IsEmpty());
}

TEST(MemoryTypes, OnlyAllowedOnes) {
  EXPECT_THAT(suitable_memory_types(kDiscrete, 0b1010, 1, MemoryKind::device, false), ElementsAre(3, 1));
  EXPECT_THAT(suitable_memory_types(kDiscrete, 0b0001, 1, MemoryKind::upload, false), IsEmpty());
}

TEST(MemoryTypes, SharedMemoryIsMapped) {
  const auto shared =
      memory({{kLocal, 0}, {kLocal | kVisible | kCoherent, 0}, {kLocal | kVisible | kCoherent | kCached, 0}},
             {kGiB});
  EXPECT_THAT(suitable_memory_types(shared, kAll, 1, MemoryKind::device, true), ElementsAre(2, 1, 0));
}

TEST(MemoryTypes, SpecialOnesAreLeftOut) {
  const auto special = memory({{kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0},
                               {kLocal | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, 0},
                               {kVisible | kCoherent | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, 0},
                               {kLocal, 0}},
                              {kGiB});
  EXPECT_THAT(suitable_memory_types(special, kAll, 1, MemoryKind::device, false), ElementsAre(3));
  EXPECT_THAT(suitable_memory_types(special, kAll, 1, MemoryKind::upload, false), IsEmpty());
}

TEST(MemoryTypes, CachedWithoutCoherenceIsGoodForDownloads) {
  const auto mobile = memory({{kLocal | kVisible | kCoherent, 0}, {kLocal | kVisible | kCached, 0}}, {kGiB});
  EXPECT_THAT(suitable_memory_types(mobile, kAll, 1, MemoryKind::download, true), ElementsAre(1, 0));
  EXPECT_THAT(suitable_memory_types(mobile, kAll, 1, MemoryKind::upload, true), ElementsAre(0, 1));
}

}  // namespace
