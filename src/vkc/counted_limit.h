// Objects of which a device allows only so many at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "vkc/status.h"

namespace vkc::detail {

// Any thread.
class CountedLimit {
 public:
  // name: of the limit, as in DeviceLimits.
  CountedLimit(std::string_view name, std::uint32_t most) : name_(name), most_(most) {}

  // Before one more is made; give_back() when it has gone or was not made after all. what: for the error.
  // Errors: limit_exceeded.
  Status take(std::string_view what) {
    const std::uint32_t now = ++count_;
    if (now <= most_) return {};
    --count_;
    return tl::unexpected(
        limit_error("making " + std::string(what) + ": a number of such objects", now, name_, most_));
  }
  void give_back() { --count_; }

 private:
  std::string_view name_;
  std::uint32_t most_;
  std::atomic<std::uint32_t> count_ = 0;
};

}  // namespace vkc::detail
