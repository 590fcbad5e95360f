// The Vulkan devices that device tests run on.
#pragma once

#include <vkc/vkc.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device_info.h"

namespace upres::testing_devices {

// Every usable device of this machine, opened once with the validation layer on.
//
// Environment: UPRES_REQUIRE_DEVICE=1: no device, or no validation layer, is a failure instead of a skipped
// test. UPRES_VALIDATION=0: without the layer, for machines that lack it.
class TestDevices {
 public:
  // Errors go to `problem`.
  static TestDevices open();

  struct OpenDevice {
    vkc::Device device;
    kernels::DeviceInfo info;
  };
  [[nodiscard]] const std::vector<OpenDevice>& devices() const { return devices_; }
  // Why there is none.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Whether the lack of a device, or of the layer, must fail the test.
  [[nodiscard]] static bool required();
  // Warnings and errors of the validation layer since the start.
  [[nodiscard]] uint64_t validation_messages() const;

 private:
  std::optional<vkc::Instance> instance_;
  std::vector<OpenDevice> devices_;
  std::string problem_;
};

}  // namespace upres::testing_devices
