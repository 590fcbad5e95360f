// y = a * x + y on the GPU: the shortest whole program.
#include <vkc/vkc.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "saxpy_kernels.h"

namespace {

// The value, or the end of the program with what went wrong.
template <typename T>
T take(vkc::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().text().c_str());
  std::exit(1);
}

}  // namespace

int main() {
  const auto instance = take(vkc::Instance::create());
  const auto device = take(vkc::Device::open(vkc::best_device(instance, {.allow_software = true})));
  const std::vector<float> host_x = {1, 2, 3, 4}, host_y = {10, 20, 30, 40};
  const auto x = take(vkc::Buffer::create(device, sizeof(float) * host_x.size()));
  const auto y = take(vkc::Buffer::create(device, sizeof(float) * host_y.size()));
  const auto kernel = take(vkc::Kernel::create(device, saxpy_kernels::saxpy, {}, vkc::KernelGroupSize{64}));
  auto commands = take(vkc::Commands::create(device));
  if (!vkc::upload(device, x, host_x) || !vkc::upload(device, y, host_y)) return 1;

  const struct {
    std::uint32_t count;
    float a;
  } push = {4, 2.0F};
  // Errors of recording are kept: submit() returns the first.
  (void)kernel.dispatch(commands, vkc::group_count({push.count}, kernel.group_size()), {{"x", x}, {"y", y}},
                        push);
  if (!take(commands.submit()).wait()) return 1;
  for (const float value : take(vkc::download<float>(device, y)))
    std::printf("%g ", static_cast<double>(value));
  std::printf("\n");  // 12 24 36 48
}
