#include <vkc/group_size_search.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "vkc/device_state.h"
#include "vkc/status.h"
#include "vkc/trial_times.h"

namespace vkc {
namespace {

std::string size_text(const KernelGroupSize& size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

// One candidate: its kernel, and what was measured.
struct Candidate {
  KernelGroupSize group_size;
  std::optional<Kernel> kernel = {};
  std::optional<Error> error = {};
  std::uint32_t repetitions = 1;
  std::vector<double> times_ms = {};
};

class Search {
 public:
  static Result<Search> create(const Device& device, const RecordWork& work,
                               const GroupSizeOptions& options) {
    auto timestamps = Timestamps::create(device, 2);
    if (!timestamps) return detail::propagate(timestamps);
    auto commands = Commands::create(device, {.name = "group size trial"});
    if (!commands) return detail::propagate(commands);
    return Search(std::move(*timestamps), std::move(*commands), work, options);
  }

  // The first run: shows whether it works, warms up, and tells how often to repeat it. Errors: device_lost.
  Status warm_up(Candidate& candidate) {
    const auto once_ms = measured_ms(candidate);
    if (!once_ms) return failed(candidate, once_ms.error());
    candidate.repetitions = detail::repetitions(*once_ms, options_.measurement_ms);
    return {};
  }

  // Errors: device_lost.
  Status measure(Candidate& candidate) {
    const auto time_ms = measured_ms(candidate);
    if (!time_ms) return failed(candidate, time_ms.error());
    candidate.times_ms.push_back(*time_ms);
    return {};
  }

 private:
  Search(Timestamps timestamps, Commands commands, const RecordWork& work, const GroupSizeOptions& options)
      : timestamps_(std::move(timestamps)), commands_(std::move(commands)), work_(work), options_(options) {}

  // A candidate's own failure ends it, a lost device ends everything.
  static Status failed(Candidate& candidate, const Error& error) {
    if (error.code == ErrorCode::device_lost) return tl::unexpected(error);
    candidate.error = error;
    return {};
  }

  Result<double> measured_ms(const Candidate& candidate) {
    if (auto ok = commands_.reset(); !ok) return detail::propagate(ok);
    if (auto ok = commands_.barrier(); !ok) return detail::propagate(ok);
    if (auto ok = commands_.write_timestamp(timestamps_, 0); !ok) return detail::propagate(ok);
    for (std::uint32_t i = 0; i < candidate.repetitions; ++i) {
      // Repeats do not overlap, even where they could.
      const Status recorded =
          detail::call_out("the work", [&] { return work_(commands_, *candidate.kernel); });
      if (!recorded) return detail::propagate(recorded);
      if (auto ok = commands_.barrier(); !ok) return detail::propagate(ok);
    }
    if (auto ok = commands_.write_timestamp(timestamps_, 1); !ok) return detail::propagate(ok);
    const auto submission = commands_.submit();
    if (!submission) return detail::propagate(submission);
    if (auto done = submission->wait(); !done) return detail::propagate(done);
    const auto all_ms = timestamps_.elapsed_ms(0, 1);
    if (!all_ms) return all_ms;
    return *all_ms / candidate.repetitions;
  }

  Timestamps timestamps_;
  Commands commands_;
  const RecordWork& work_;
  GroupSizeOptions options_;
};

std::vector<Candidate> make_kernels(const Device& device, const KernelSource& source,
                                    std::span<const Constant> constants,
                                    std::span<const KernelGroupSize> sizes) {
  std::vector<Candidate> candidates;
  for (const KernelGroupSize& size : sizes) {
    Candidate& candidate = candidates.emplace_back(Candidate{size});
    auto kernel = Kernel::create(device, source, constants, size);
    if (kernel) {
      candidate.kernel = std::move(*kernel);
    } else {
      candidate.error = kernel.error();
    }
  }
  return candidates;
}

// Rounds in which every candidate that works has its turn.
Status measure_all(Search& search, std::vector<Candidate>& candidates, const GroupSizeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  for (Candidate& candidate : candidates) {
    if (candidate.error) continue;
    if (auto ok = search.warm_up(candidate); !ok) return ok;
  }
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    if (round > 0 && std::chrono::steady_clock::now() - start > options.budget) break;
    for (Candidate& candidate : candidates) {
      if (candidate.error) continue;
      if (auto ok = search.measure(candidate); !ok) return ok;
    }
  }
  return {};
}

GroupSizeTrial trial_of(const Candidate& candidate) {
  GroupSizeTrial trial{candidate.group_size};
  trial.error = candidate.error;
  if (candidate.error) return trial;
  trial.median_ms = detail::median(candidate.times_ms);
  trial.least_ms = *std::min_element(candidate.times_ms.begin(), candidate.times_ms.end());
  trial.rounds = static_cast<std::uint32_t>(candidate.times_ms.size());
  return trial;
}

Result<GroupSizeChoice> best_of(const std::vector<Candidate>& candidates) {
  std::vector<GroupSizeTrial> trials;
  const Candidate* best = nullptr;
  double best_ms = 0;
  std::vector<std::string> reasons;
  for (const Candidate& candidate : candidates) {
    const GroupSizeTrial& trial = trials.emplace_back(trial_of(candidate));
    if (trial.error) {
      reasons.push_back(size_text(trial.group_size) + ": " + trial.error->message);
    } else if (best == nullptr || *trial.median_ms < best_ms) {
      best = &candidate;
      best_ms = *trial.median_ms;
    }
  }
  if (best != nullptr) return GroupSizeChoice{*best->kernel, best->group_size, best_ms, std::move(trials)};
  return detail::fail(candidates.front().error->code, "no group size works", std::move(reasons));
}

}  // namespace

Result<GroupSizeChoice> fastest_group_size(const Device& device, const KernelSource& source,
                                           ListView<Constant> constants, ListView<KernelGroupSize> candidates,
                                           const RecordWork& work, const GroupSizeOptions& options) {
  if (candidates.size() == 0 || options.rounds == 0 || !work) {
    return detail::fail(ErrorCode::invalid_argument, "fastest_group_size of kernel " +
                                                         detail::in_quotes(source.name) +
                                                         ": no candidate, no round or no work is given");
  }
  if (auto ok = device.state()->alive(); !ok) return detail::propagate(ok);
  auto search = Search::create(device, work, options);
  if (!search) return detail::propagate(search);
  std::vector<Candidate> all = make_kernels(device, source, constants.span(), candidates.span());
  if (auto ok = measure_all(*search, all, options); !ok) return detail::propagate(ok);
  if (auto ok = device.state()->alive(); !ok) return detail::propagate(ok);
  return best_of(all);
}

Result<GroupSizeChoice> fastest_group_size(const Device& device, const KernelSource& source,
                                           ListView<Constant> constants, ListView<KernelGroupSize> candidates,
                                           const Extent& extent, ListView<Binding> bindings,
                                           const PushConstants& push, const GroupSizeOptions& options) {
  const RecordWork dispatch = [&](Commands& commands, const Kernel& kernel) {
    return kernel.dispatch(commands, group_count(extent, kernel.group_size()), bindings, push);
  };
  return fastest_group_size(device, source, constants, candidates, dispatch, options);
}

std::vector<KernelGroupSize> group_size_candidates(const DeviceLimits& limits, std::uint32_t dimensions) {
  std::vector<KernelGroupSize> sizes;
  if (dimensions < 1 || dimensions > 3) return sizes;
  const auto most = [&](std::uint32_t dimension) {
    return dimension < dimensions ? std::bit_floor(limits.max_group_size[dimension]) : 1;
  };
  const std::uint64_t least = std::min(limits.subgroup_size, limits.max_group_invocations);
  for (std::uint64_t x = 1; x <= most(0); x *= 2) {
    for (std::uint64_t y = 1; y <= most(1); y *= 2) {
      for (std::uint64_t z = 1; z <= most(2); z *= 2) {
        const std::uint64_t all = x * y * z;
        if (all < least || all > limits.max_group_invocations) continue;
        sizes.push_back(
            {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)});
      }
    }
  }
  return sizes;
}

}  // namespace vkc
