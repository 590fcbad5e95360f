#include "vkc/hazards.h"

#include <algorithm>

namespace vkc::detail {
namespace {

constexpr std::size_t kLongestList = 128;

}  // namespace

bool HazardTracker::conflicts(const Access& access) const {
  if (accesses_.size() >= kLongestList) return true;
  return std::any_of(accesses_.begin(), accesses_.end(), [&](const Access& earlier) {
    return earlier.memory == access.memory && (earlier.write || access.write) &&
           earlier.begin_bytes < access.end_bytes && access.begin_bytes < earlier.end_bytes;
  });
}

void HazardTracker::add(const Access& access) {
  if (std::find(accesses_.begin(), accesses_.end(), access) == accesses_.end()) accesses_.push_back(access);
}

}  // namespace vkc::detail
