// Errors, results and the log of vkc. The library prints nothing by itself, and no exception leaves it, with
// one exception: std::bad_alloc, where the host has no memory left even for the small things that a call
// makes (names, lists). Large memory, of the device or the host, is ErrorCode::out_of_memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace vkc {

enum class ErrorCode : std::uint8_t {
  no_vulkan,       // no Vulkan loader on this machine, or none of its drivers works
  no_device,       // no device that can be used; `reasons` holds one line per device
  not_supported,   // the device, its driver or vkc lacks a feature; the message names it
  limit_exceeded,  // beyond a limit of the device, or of vkc; the message names the limit, its value and what
                   // was asked for
  invalid_argument,  // a wrong name, type, size or order of calls; a function of the caller's that threw
  invalid_module,    // not SPIR-V, damaged, or not a compute kernel
  out_of_memory,     // of the device or the host
  device_lost,       // the device stopped working; nothing more can be computed on this vkc::Device
  file,              // a file could not be read or written
  vulkan,            // any other failure that Vulkan reported; see vk_result
};

// What happened, to what, and what to do about it, in one line.
struct Error {
  ErrorCode code = ErrorCode::vulkan;
  std::string message;
  std::vector<std::string> reasons = {};
  int vk_result = 0;  // the VkResult behind it, 0 where there is none

  // The message and each reason on a line of its own, indented.
  [[nodiscard]] std::string text() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

enum class Severity : std::uint8_t { debug, info, warning, error };

// Receives messages of vkc and of the validation layer. May be called from any thread, also while a call into
// vkc is on the stack; it must not call vkc. What it throws is caught and dropped with the message. Empty:
// messages are dropped.
using LogSink = std::function<void(Severity, std::string_view)>;

}  // namespace vkc
