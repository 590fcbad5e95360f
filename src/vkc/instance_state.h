// What an Instance handle refers to.
#pragma once

#include <atomic>
#include <memory>

#include <vkc/instance.h>

#include "vkc/functions.h"
#include "vkc/loader.h"
#include "vkc/status.h"

namespace vkc::detail {

class InstanceState {
 public:
  InstanceState(std::shared_ptr<Loader> loader, LogSink log)
      : loader(std::move(loader)), log_(std::move(log)) {}
  InstanceState(const InstanceState&) = delete;
  InstanceState& operator=(const InstanceState&) = delete;
  ~InstanceState();

  // What the sink throws ends here: there is nobody to tell, and a driver or layer may be on the stack.
  void log(Severity severity, std::string_view text) const noexcept {
    if (!log_) return;
    try {
      log_(severity, text);
    } catch (...) {
    }
  }

  std::shared_ptr<Loader> loader;  // null for an adopted instance
  bool owned = true;               // destroyed here
  GlobalFunctions global;
  InstanceFunctions functions;
  VkInstance handle = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  std::uint32_t api_version = VK_API_VERSION_1_1;  // asked for at creation
  std::atomic<std::uint64_t> validation_messages = 0;

 private:
  LogSink log_;
};

}  // namespace vkc::detail
