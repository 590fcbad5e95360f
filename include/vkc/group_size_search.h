// Which group size is fastest, by trying.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <vkc/commands.h>
#include <vkc/device.h>
#include <vkc/error.h>
#include <vkc/kernel.h>

namespace vkc {

struct GroupSizeOptions {
  // How often each candidate is measured, warm-up aside.
  std::uint32_t rounds = 9;
  // A measurement repeats the work until it takes about this long on the device, so that its clock's steps do
  // not count.
  double measurement_ms = 1;
  // No new round is begun after this time; every candidate that works is measured at least once.
  std::chrono::milliseconds budget{2000};
};

struct GroupSizeTrial {
  KernelGroupSize group_size;
  // Device time of the work once: the median of the rounds, and the least. Empty if the candidate failed.
  std::optional<double> median_ms = {};
  std::optional<double> least_ms = {};
  std::uint32_t rounds = 0;
  // Why it failed; empty if it did not.
  std::optional<Error> error = {};
};

struct GroupSizeChoice {
  Kernel kernel;  // with the best group size
  KernelGroupSize group_size;
  double median_ms = 0;
  std::vector<GroupSizeTrial> trials;  // of every candidate, in their order
};

// Records the work that is to be fast: usually one dispatch of the kernel, with group counts that follow from
// kernel.group_size(). Called several times for each candidate, so the work must bear being repeated. An
// error that it returns, or an exception (invalid_argument with its text; out_of_memory for std::bad_alloc),
// ends the candidate.
using RecordWork = std::function<Status(Commands& commands, const Kernel& kernel)>;

// Makes the kernel with each candidate and times the work by timestamps, all candidates in turn in every
// round, so that a clock that changes or a neighbour that disturbs meets all of them; a first round warms up
// and is not counted. The best has the smallest median. Candidates beyond a limit of the device, or refused
// by the driver, are listed with their error and tried no further. Blocks; nothing else should use the device
// meanwhile. candidates: at least one; duplicates are allowed. Results of the work are the caller's to look
// at. Errors: invalid_argument (no candidate, no round), not_supported (no timestamps), device_lost; if every
// candidate failed, the error of the first with one reason per candidate.
Result<GroupSizeChoice> fastest_group_size(const Device& device, const KernelSource& source,
                                           ListView<Constant> constants, ListView<KernelGroupSize> candidates,
                                           const RecordWork& work, const GroupSizeOptions& options = {});

// The same for one dispatch over an extent, with one invocation for each of its elements.
Result<GroupSizeChoice> fastest_group_size(const Device& device, const KernelSource& source,
                                           ListView<Constant> constants, ListView<KernelGroupSize> candidates,
                                           const Extent& extent, ListView<Binding> bindings,
                                           const PushConstants& push = {},
                                           const GroupSizeOptions& options = {});

// Candidates worth trying on a device: every size of powers of two in the first `dimensions` (1 to 3)
// directions, 1 in the others, that its limits allow and that fills a subgroup at least; in order of x, y, z.
// None for other numbers of dimensions.
[[nodiscard]] std::vector<KernelGroupSize> group_size_candidates(const DeviceLimits& limits,
                                                                 std::uint32_t dimensions);

}  // namespace vkc
