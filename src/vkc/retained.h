// What a recording keeps alive.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

namespace vkc::detail {

// One thread at a time.
class Retained {
 public:
  // True the first time that the object is met.
  bool is_new(const void* object) {
    // The same few objects come again and again: most are found without the set.
    const void*& recent = recent_[(reinterpret_cast<std::uintptr_t>(object) >> 6) % recent_.size()];
    if (recent == object) return false;
    recent = object;
    return seen_.insert(object).second;
  }
  void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }
  void clear() {
    recent_.fill(nullptr);
    seen_.clear();
    kept_.clear();
  }

 private:
  std::array<const void*, 64> recent_ = {};
  std::unordered_set<const void*> seen_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace vkc::detail
