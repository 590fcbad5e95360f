// y = a * x + y on the GPU: the shortest whole program. value() throws the error where there is no value.
#include <vkc/vkc.h>

#include <cstdio>
#include <vector>

#include "saxpy_kernels.h"

int main() try {
  const auto instance = vkc::Instance::create().value();
  const auto device = vkc::Device::open(vkc::best_device(instance, {.allow_software = true})).value();
  const std::vector<float> host_x = {1, 2, 3, 4}, host_y = {10, 20, 30, 40};
  const auto x = vkc::Buffer::create(device, sizeof(float) * host_x.size()).value();
  const auto y = vkc::Buffer::create(device, sizeof(float) * host_y.size()).value();
  if (!vkc::upload(device, x, host_x) || !vkc::upload(device, y, host_y)) return 1;
  const struct {
    std::uint32_t count;
    float a;
  } push = {4, 2.0F};
  const auto kernel = vkc::Kernel::create(device, saxpy_kernels::saxpy, {}, vkc::KernelGroupSize{64}).value();
  const auto groups = vkc::group_count({push.count}, kernel.group_size());
  auto commands = vkc::Commands::create(device).value();
  (void)kernel.dispatch(commands, groups, {{"x", x}, {"y", y}}, push);  // errors come out of submit()
  if (!commands.submit().value().wait()) return 1;
  const auto result = vkc::download<float>(device, y).value();
  for (const float value : result) std::printf("%g ", double{value});
} catch (const tl::bad_expected_access<vkc::Error>& failure) {
  std::fprintf(stderr, "%s\n", failure.error().text().c_str());
  return 1;
}
