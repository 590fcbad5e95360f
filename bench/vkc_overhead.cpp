// What vkc costs: recording and submitting 1,000 small dispatches with it, and with the same Vulkan calls
// written by hand. Prints a table; see README.md.
#include <vkc/vkc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "plain_vulkan.h"
#include "vkc_overhead_kernels.h"

namespace {

using vkc_overhead::PlainVulkan;
using vkc_overhead::Push;
using vkc_overhead::Step;

constexpr std::uint32_t kDispatches = 1000;
constexpr std::uint32_t kElements = 64;
constexpr std::uint64_t kPieceBytes = 1024;  // aligned for every device
constexpr int kRounds = 300;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "vkc_overhead: %s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T take(vkc::Result<T> result) {
  if (!result) stop(result.error().text());
  return std::move(*result);
}
void take(const vkc::Status& status) {
  if (!status) stop(status.error().text());
}
void must(bool worked) {
  if (!worked) stop("a call of plain Vulkan failed");
}

// Which pieces a step reads and writes.
enum class Pattern {
  same_bindings,      // one buffer to another, each step behind the one before: only push constants change
  ping_pong,          // there and back between two buffers, each step behind the one before
  independent_pieces  // a piece of its own for every step, no barriers
};

struct Case {
  const char* name;
  Pattern pattern;
  vkc::Barriers barriers;
};

constexpr Case kCases[] = {
    {"same bindings, automatic barriers", Pattern::same_bindings, vkc::Barriers::automatic},
    {"same bindings, manual barriers", Pattern::same_bindings, vkc::Barriers::manual},
    {"ping-pong, automatic barriers", Pattern::ping_pong, vkc::Barriers::automatic},
    {"ping-pong, manual barriers", Pattern::ping_pong, vkc::Barriers::manual},
    {"independent pieces, automatic barriers", Pattern::independent_pieces, vkc::Barriers::automatic},
    {"independent pieces, manual barriers", Pattern::independent_pieces, vkc::Barriers::manual},
};

class Bench {
 public:
  Bench(const vkc::Instance& instance, const vkc::Device& device)
      : device_(device),
        kernel_(take(vkc::Kernel::create(device, vkc_overhead_kernels::step))),
        a_(take(vkc::Buffer::create(device, kDispatches * kPieceBytes))),
        b_(take(vkc::Buffer::create(device, kDispatches * kPieceBytes))),
        plain_(instance, device) {
    must(plain_.create(vkc_overhead_kernels::step.spirv, kDispatches));
  }

  // Medians in microseconds, measured in turn.
  void run(const Case& each) {
    std::vector<double> with_vkc_us, by_hand_us;
    vkc::Commands commands = take(vkc::Commands::create(device_, {.barriers = each.barriers}));
    for (int round = 0; round < kRounds; ++round) {
      by_hand_us.push_back(timed([&] { plain(each.pattern); }));
      must(plain_.wait());
      std::optional<vkc::Submission> submission;
      with_vkc_us.push_back(timed([&] { submission = vkc_way(commands, each); }));
      take(submission->wait());
    }
    const double vkc_us = median(with_vkc_us), hand_us = median(by_hand_us);
    std::printf("%-40s %8.1f %8.1f %6.2f\n", each.name, vkc_us, hand_us, vkc_us / hand_us);
  }

 private:
  // Time of this thread on its processor: that of others, drivers that compute on the CPU included, does not
  // count.
  static double thread_us() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
  }
  template <typename Work>
  static double timed(const Work& work) {
    const double start_us = thread_us();
    work();
    return thread_us() - start_us;
  }
  static double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
  }

  vkc::Submission vkc_way(vkc::Commands& commands, const Case& each) {
    take(commands.reset());
    const bool manual = each.barriers == vkc::Barriers::manual;
    const bool depends = each.pattern != Pattern::independent_pieces;
    if (manual) take(commands.barrier());
    for (std::uint32_t i = 0; i < kDispatches; ++i) {
      const Push push{kElements, 1.0F + static_cast<float>(i)};
      const std::uint64_t at = depends ? 0 : i * kPieceBytes;
      const bool back = each.pattern == Pattern::ping_pong && i % 2 != 0;
      const vkc::BufferRange from = (back ? b_ : a_).range(at, kPieceBytes);
      const vkc::BufferRange to = (back ? a_ : b_).range(at, kPieceBytes);
      if (manual && depends && i > 0) take(commands.barrier());
      take(kernel_.dispatch(commands, {1}, {{"input", from}, {"output", to}}, push));
    }
    return take(commands.submit());
  }

  void plain(Pattern pattern) {
    must(plain_.begin());
    const VkBuffer a = vkc::native_handle(a_), b = vkc::native_handle(b_);
    const auto set_at = [&](VkBuffer from, VkBuffer to, std::uint64_t at) {
      return plain_.make_set({{from, at, kPieceBytes}, {to, at, kPieceBytes}});
    };
    const VkDescriptorSet there = set_at(a, b, 0);
    const VkDescriptorSet back = pattern == Pattern::ping_pong ? set_at(b, a, 0) : there;
    if (pattern == Pattern::same_bindings) plain_.bind(there);
    for (std::uint32_t i = 0; i < kDispatches; ++i) {
      if (pattern == Pattern::ping_pong) plain_.bind(i % 2 != 0 ? back : there);
      if (pattern == Pattern::independent_pieces) plain_.bind(i == 0 ? there : set_at(a, b, i * kPieceBytes));
      if (pattern != Pattern::independent_pieces && i > 0) plain_.barrier();
      plain_.dispatch({kElements, 1.0F + static_cast<float>(i)});
    }
    must(plain_.submit());
  }

  const vkc::Device& device_;
  vkc::Kernel kernel_;
  vkc::Buffer a_;
  vkc::Buffer b_;
  PlainVulkan plain_;
};

}  // namespace

int main() {
  const vkc::Instance instance = take(vkc::Instance::create({.application_name = "vkc_overhead"}));
  const vkc::Device device = take(vkc::Device::open(vkc::best_device(instance, {.allow_software = true})));
  std::printf("%s: recording and submitting %u dispatches, microseconds of the thread, median of %d\n",
              device.properties().name.c_str(), kDispatches, kRounds);
  std::printf("%-40s %8s %8s %6s\n", "", "vkc", "by hand", "ratio");
  Bench bench(instance, device);
  for (const Case& each : kCases) bench.run(each);
  return 0;
}
