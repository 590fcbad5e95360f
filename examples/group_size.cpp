// Which group size is fastest for a kernel on this device: tries them all and prints the table.
#include <vkc/vkc.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "group_size_kernels.h"

namespace {

std::string to_text(const vkc::KernelGroupSize& size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

void print(const vkc::GroupSizeChoice& choice) {
  std::printf("%-12s %10s %10s\n", "group size", "median ms", "least ms");
  for (const vkc::GroupSizeTrial& trial : choice.trials) {
    if (trial.error) {
      std::printf("%-12s %s\n", to_text(trial.group_size).c_str(), trial.error->message.c_str());
    } else {
      std::printf("%-12s %10.4f %10.4f%s\n", to_text(trial.group_size).c_str(), *trial.median_ms,
                  *trial.least_ms, trial.group_size == choice.group_size ? "  <- fastest" : "");
    }
  }
}

vkc::Status run() {
  const auto instance = vkc::Instance::create({.application_name = "group_size"});
  if (!instance) return tl::unexpected(instance.error());
  const auto device = vkc::Device::open(vkc::best_device(*instance, {.allow_software = true}));
  if (!device) return tl::unexpected(device.error());

  const struct { std::uint32_t width = 256, height = 128; } push;
  const std::uint64_t size_bytes = std::uint64_t{push.width} * push.height * sizeof(float);
  const auto input = vkc::Buffer::create(*device, size_bytes),
             output = vkc::Buffer::create(*device, size_bytes);
  if (!input) return tl::unexpected(input.error());
  if (!output) return tl::unexpected(output.error());

  auto candidates = vkc::group_size_candidates(device->properties().limits, 2);
  std::erase_if(candidates, [](const vkc::KernelGroupSize& size) { return size.y > size.x; });
  candidates.push_back({4096, 4096, 1});  // beyond every device: listed with the reason
  const auto choice = vkc::fastest_group_size(*device, group_size_kernels::blur, {{"radius", 2}}, candidates,
                                              vkc::Extent{push.width, push.height},
                                              {{"input", *input}, {"output", *output}}, push, {.rounds = 5});
  if (!choice) return tl::unexpected(choice.error());
  std::printf("%s, a blur of 5x5 over %ux%u\n", device->properties().name.c_str(), push.width, push.height);
  print(*choice);
  return {};
}

}  // namespace

int main() {
  const vkc::Status status = run();
  if (!status) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  return status ? 0 : 1;
}
