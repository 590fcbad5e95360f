#include "test_devices.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "session/gpu/device_info.h"
#include "support/loaded_libraries.h"

namespace upres::testing_devices {

namespace {

bool environment_is(const char* name, std::string_view value) {
  const char* text = std::getenv(name);
  return text != nullptr && text == value;
}

void print(vkc::Severity severity, std::string_view text) {
  if (severity >= vkc::Severity::warning)
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

vkc::Result<vkc::Instance> create_instance() {
  vkc::InstanceOptions options = {.application_name = "upres tests",
                                  .validation = !environment_is("UPRES_VALIDATION", "0"),
                                  .log = print};
  auto instance = vkc::Instance::create(options);
  test::pin_loaded_libraries();
  const bool no_layer =
      !instance && options.validation && instance.error().code == vkc::ErrorCode::not_supported;
  if (!no_layer || TestDevices::required()) return instance;
  std::fprintf(stderr, "Without the validation layer: %s\n", instance.error().text().c_str());
  options.validation = false;
  return vkc::Instance::create(options);
}

}  // namespace

bool TestDevices::required() { return environment_is("UPRES_REQUIRE_DEVICE", "1"); }

TestDevices TestDevices::open() {
  TestDevices result;
  auto instance = create_instance();
  if (!instance) {
    result.problem_ = instance.error().text();
    return result;
  }
  result.instance_ = *instance;
  const auto physical = instance->physical_devices();
  if (!physical) {
    result.problem_ = physical.error().text();
    return result;
  }
  for (const vkc::PhysicalDevice& one : *physical) {
    auto device = vkc::Device::open(one);
    if (device) {
      result.devices_.push_back({*device, session::device_info(one)});
    } else {
      result.problem_ += device.error().text() + "\n";
    }
  }
  if (result.devices_.empty() && result.problem_.empty()) result.problem_ = "Vulkan offers no device";
  return result;
}

uint64_t TestDevices::validation_messages() const {
  return instance_ ? instance_->validation_message_count() : 0;
}

}  // namespace upres::testing_devices
