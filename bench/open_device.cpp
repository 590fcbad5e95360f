// Opens a Vulkan device with vkc, says so and ends: what start_up.py subtracts.
//
//   bench_open_device [PART_OF_NAME]     without a name the best device
#include <vkc/vkc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace {

vkc::Result<vkc::PhysicalDevice> find(const vkc::Instance& instance, const char* name) {
  if (name == nullptr) return vkc::best_device(instance);
  auto devices = instance.physical_devices();
  if (!devices) return tl::unexpected(std::move(devices.error()));
  for (const vkc::PhysicalDevice& device : *devices) {
    if (std::strstr(device.properties().name.c_str(), name) != nullptr) return device;
  }
  return tl::unexpected(vkc::Error{vkc::ErrorCode::no_device, std::string("no device named ") + name, {}});
}

int fail(const vkc::Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  const auto instance = vkc::Instance::create();
  if (!instance) return fail(instance.error());
  const auto device = vkc::Device::open(find(*instance, argc > 1 ? argv[1] : nullptr));
  if (!device) return fail(device.error());
  std::printf("%s\n", device->properties().name.c_str());
  std::fflush(stdout);
}
