#include "upscale/peak.h"

#include <vkc/vkc.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "kernels/conv/fragments.h"
#include "session/gpu/vkc_error.h"
#include "upres_peak_shaders_kernels.h"

namespace upres::upscale {
namespace {

using Clock = std::chrono::steady_clock;
using session::device_error;

constexpr std::string_view kDoing = "measuring the device's peak";

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// With the struct in the shaders. These values leave sums finite and far from subnormal for any number of
// rounds.
struct Push {
  uint32_t rounds = 1;
  float factor = 0.5F;
  float summand = 0.25F;
};

// Of both shaders: chains times steps.
constexpr double kStepsPerRound = 8 * 4;
constexpr double kVectorFlops = 2 * 4;
constexpr double kMatrixFlops = 2.0 * 16 * 16 * 16;
constexpr uint64_t kMatrixBytes = 16 * 16 * sizeof(float);

// Submits shorter than this are mostly dispatch; a multiple of it stays far below any watchdog's limit.
constexpr double kLeast_ms = 8;
constexpr double kMeasured_ms = 500;  // in all, clocks rising in the beginning
constexpr uint32_t kMostRounds = 1U << 24;

// One of the shaders with a grid that fills the device.
struct Load {
  const vkc::KernelSource& source;
  vkc::KernelGroupSize group_size;
  uint32_t groups = 1;
  double flops_per_round = 0;  // of the whole grid
  uint64_t output_bytes = 0;
};

// More invocations than any GPU has in flight; a processor that plays GPU needs few.
constexpr uint32_t kGpuInvocations = 1U << 20;
constexpr uint32_t kSoftwareInvocations = 1U << 13;

uint32_t invocations(const kernels::DeviceInfo& info) {
  return info.kind == "software" ? kSoftwareInvocations : kGpuInvocations;
}

Load fma_load(const vkc::KernelSource& source, const kernels::DeviceInfo& info) {
  const uint32_t group = std::min(128U, info.limits.max_group_invocations);
  const uint32_t groups = invocations(info) / group;
  const double threads = static_cast<double>(groups) * group;
  return {source,
          {group, 1, 1},
          groups,
          threads * kStepsPerRound * kVectorFlops,
          uint64_t{groups} * group * sizeof(float)};
}

Load matrix_load(const kernels::DeviceInfo& info) {
  constexpr uint32_t kLanes = 32;
  const uint32_t subgroups = std::min(4U, info.limits.max_group_invocations / kLanes);
  const uint32_t groups = invocations(info) / (kLanes * subgroups) / 8;
  const double all = static_cast<double>(groups) * subgroups;
  return {upres_peak_shaders_kernels::peak_matrix,
          {kLanes, subgroups, 1},
          groups,
          all * kStepsPerRound * kMatrixFlops,
          uint64_t{groups} * subgroups * kMatrixBytes};
}

// A load ready to run.
class Runner {
 public:
  static Result<Runner> create(const vkc::Device& device, const Load& load) {
    auto kernel = vkc::Kernel::create(device, load.source, {}, load.group_size, {.trusted = true});
    if (!kernel) return device_error(kernel.error(), kDoing);
    auto output = vkc::Buffer::create(device, load.output_bytes, vkc::MemoryKind::device, "peak");
    if (!output) return device_error(output.error(), kDoing);
    auto stamps = vkc::Timestamps::create(device, 2);
    if (!stamps) return device_error(stamps.error(), kDoing);
    return Runner(device, load, std::move(*kernel), std::move(*output), std::move(*stamps));
  }

  // Time of so many rounds: the device's, and the host's from before the submit until after it.
  struct Times {
    double device_ms = 0;
    double host_ms = 0;
  };
  Result<Times> run(uint32_t rounds) const {
    auto commands = vkc::Commands::create(device_);
    if (!commands) return device_error(commands.error(), kDoing);
    const Push push{rounds};
    // Commands keeps the first error and submit() returns it.
    (void)commands->write_timestamp(stamps_, 0);
    (void)kernel_.dispatch(*commands, {groups_, 1, 1}, {{"output", output_}}, push);
    (void)commands->write_timestamp(stamps_, 1);
    const auto begin = Clock::now();
    const auto submission = commands->submit();
    if (!submission) return device_error(submission.error(), kDoing);
    if (auto done = submission->wait(); !done) return device_error(done.error(), kDoing);
    const double host_ms = ms_since(begin);
    const auto ms = stamps_.elapsed_ms(0, 1);
    if (!ms) return device_error(ms.error(), kDoing);
    return Times{*ms, host_ms};
  }

 private:
  Runner(const vkc::Device& device, const Load& load, vkc::Kernel kernel, vkc::Buffer output,
         vkc::Timestamps stamps)
      : device_(device),
        groups_(load.groups),
        kernel_(std::move(kernel)),
        output_(std::move(output)),
        stamps_(std::move(stamps)) {}

  vkc::Device device_;
  uint32_t groups_;
  vkc::Kernel kernel_;
  vkc::Buffer output_;
  vkc::Timestamps stamps_;
};

// Whether more rounds are needed for a good measurement; never by a device's clock alone, which may be wrong.
bool is_short(const Runner::Times& times) {
  return times.device_ms < kLeast_ms && times.host_ms < 4 * kLeast_ms;
}

// Rounds that take about kLeast_ms: doubled from one, so that no submit is long on a slow device.
Result<uint32_t> enough_rounds(const Runner& runner) {
  uint32_t rounds = 1;
  for (; rounds < kMostRounds; rounds *= 2) {
    const auto times = runner.run(rounds);
    if (!times) return tl::unexpected(times.error());
    if (!is_short(*times)) break;
  }
  return rounds;
}

Result<double> gflops_of(const vkc::Device& device, const Load& load) {
  const auto runner = Runner::create(device, load);
  if (!runner) return tl::unexpected(runner.error());
  auto rounds = enough_rounds(*runner);
  if (!rounds) return propagate(rounds);
  double best_ms_per_round = 0;
  const auto begin = Clock::now();
  do {
    const auto times = runner->run(*rounds);
    if (!times) return tl::unexpected(times.error());
    const double ms_per_round = times->device_ms / *rounds;
    if (ms_per_round > 0 && (best_ms_per_round == 0 || ms_per_round < best_ms_per_round))
      best_ms_per_round = ms_per_round;
    if (is_short(*times) && *rounds < kMostRounds) *rounds *= 2;  // the clock has risen
  } while (ms_since(begin) < kMeasured_ms);
  if (!(best_ms_per_round > 0)) return fail(ErrorCode::device, "the device's clock stands still");
  return load.flops_per_round / best_ms_per_round / 1e6;
}

// As kernels on matrices ask for.
bool has_matrices(const kernels::DeviceLimits& limits) {
  return kernels::multiplies_fragments(limits) && limits.fp16_storage && limits.fp16_arithmetic &&
         limits.subgroup_size == 32;
}

}  // namespace

Peaks measure_peaks(const vkc::Device& device, const kernels::DeviceInfo& info) {
  Peaks peaks;
  if (!info.limits.timestamps) return peaks;
  const auto measure = [&](const Load& load, std::optional<double>& gflops) {
    const auto measured = gflops_of(device, load);
    if (measured) {
      gflops = *measured;
    } else {
      peaks.failures.push_back(std::string(load.source.name) + ": " + measured.error().message);
    }
  };
  using namespace upres_peak_shaders_kernels;
  measure(fma_load(peak_fma, info), peaks.fp32_gflops);
  if (info.limits.fp16_arithmetic) measure(fma_load(peak_fma_fp16, info), peaks.fp16_gflops);
  if (has_matrices(info.limits)) measure(matrix_load(info), peaks.matrix_gflops);
  return peaks;
}

std::optional<double> peak_gflops(const Peaks& peaks, Precision precision) {
  if (precision == Precision::fp32) return peaks.fp32_gflops;
  if (precision != Precision::fp16) return std::nullopt;
  std::optional<double> highest;
  for (const auto& gflops : {peaks.fp32_gflops, peaks.fp16_gflops, peaks.matrix_gflops}) {
    if (gflops && (!highest || *gflops > *highest)) highest = gflops;
  }
  return highest;
}

}  // namespace upres::upscale
