// Which commands of a recording depend on each other: what automatic barriers are made from.
#pragma once

#include <cstdint>
#include <vector>

namespace vkc::detail {

// The pieces of memory that commands since the last barrier use. One thread at a time.
class HazardTracker {
 public:
  struct Access {
    const void* memory = nullptr;  // identity only
    std::uint64_t begin_bytes = 0;
    std::uint64_t end_bytes = 0;
    bool write = false;
    friend bool operator==(const Access&, const Access&) = default;
  };

  // True if a command with this access must wait for an earlier one: they overlap and one of them writes.
  // Also true where the list has grown so long that a barrier is cheaper than searching it.
  [[nodiscard]] bool conflicts(const Access& access) const;
  void add(const Access& access);
  // After a barrier nothing has to be waited for.
  void clear() { accesses_.clear(); }

 private:
  std::vector<Access> accesses_;
};

}  // namespace vkc::detail
