// What a recording bound lately, so that it need not be looked up, checked and written again.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <vkc/kernel.h>

#include "vkc/descriptors.h"
#include "vkc/hazards.h"
#include "vkc/vulkan_api.h"

namespace vkc::detail {

class KernelState;

// Bindings of one kernel that were found right, and what follows from them.
struct CheckedBindings {
  // Of the kernel that they are for; null: this place is empty.
  const KernelState* kernel = nullptr;
  // As the caller gave them, but with the kernel's own texts of the names: the caller's may be gone.
  std::vector<Binding> given;
  std::vector<VkDescriptorSet> sets;    // written; none for kernels that push descriptors
  std::vector<Descriptor> descriptors;  // for those, one per slot
  std::vector<HazardTracker::Access> accesses;
  std::vector<ImageState*> images;

  // Whether these are the same bindings, name by name and resource by resource. Asked at every dispatch.
  [[nodiscard]] bool are(const KernelState* other_kernel, std::span<const Binding> bindings) const {
    if (kernel != other_kernel || given.size() != bindings.size()) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!is_same(given[i].resource, bindings[i].resource) || given[i].name != bindings[i].name)
        return false;
    }
    return true;
  }

 private:
  static bool is_same(const Resource& a, const Resource& b) {
    return a.buffer_range() == b.buffer_range() && a.image() == b.image() && a.sampler() == b.sampler();
  }
};

// A recording keeps what is bound alive, so an address stands for one object until clear(). One thread at a
// time.
class RecentBindings {
 public:
  struct Found {
    CheckedBindings& place;
    bool hit = false;  // the place holds them; otherwise they are to be put there
  };
  Found find(const KernelState* kernel, std::span<const Binding> bindings);
  void clear();

 private:
  static constexpr std::size_t kPlaces = 64;  // in pairs, so that two that alternate do not chase each other
  std::array<CheckedBindings, kPlaces> places_ = {};
  std::size_t next_victim_ = 0;  // 0 or 1
};

}  // namespace vkc::detail
