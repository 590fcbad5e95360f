#include "upscale/ladder.h"

#include <algorithm>

#include "devicedb/devicedb.h"
#include "kernels/kernel.h"
#include "plan/plan.h"

namespace upres::upscale {
namespace {

constexpr std::string_view kPlan = "plan";

DType dtype_of(Precision precision) { return precision == Precision::fp16 ? DType::f16 : DType::f32; }

std::string forced(const Rung& rung) { return rung.kernel == kPlan ? std::string() : rung.kernel; }

std::optional<Error> refusal(const Device& device, const graph::Graph& network, const Rung& rung) {
  if (const auto can = device.resolve(rung.precision, network); !can) return can.error();
  const auto chosen = plan::choose_kernels(network, device.info(), devicedb::Database::embedded(),
                                           {forced(rung), dtype_of(rung.precision)});
  if (!chosen) return chosen.error();
  return std::nullopt;
}

// So that the next rung need not measure conv_naive again.
void remember_naive(const BenchResult& result, BenchOptions& options) {
  if (result.median_ms && result.times_naive) options.naive_ms = *result.median_ms * *result.times_naive;
}

}  // namespace

std::vector<Rung> ladder_rungs(const Device& device, const graph::Graph& network,
                               std::optional<Precision> only) {
  std::vector<Rung> rungs;
  const auto add = [&](std::string_view kernel, Precision precision) {
    if (only && precision != *only) return;
    Rung rung{std::string(kernel), precision};
    rung.refusal = refusal(device, network, rung);
    rungs.push_back(std::move(rung));
  };
  const auto all = kernels::all_kernels();
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i]->family() != "conv") continue;
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      if (kernels::has_dtype(*all[i], dtype_of(precision))) add(all[i]->id(), precision);
    }
  }
  add(kPlan, Precision::fp32);
  add(kPlan, Precision::fp16);
  return rungs;
}

Status climb_ladder(const Device& device, const PictureModel& model, const std::vector<Rung>& rungs,
                    const BenchOptions& options, const std::function<void(const ClimbedRung&)>& climbed) {
  if (device.gpu() == nullptr)
    return fail(ErrorCode::device,
                "the ladder's kernels run on GPUs; choose one (the CPU device has its own)");
  BenchOptions each = options;
  each.peaks = measure_peaks(*device.gpu(), device.info());
  for (const Rung& rung : rungs) {
    if (rung.refusal) continue;
    each.precision = rung.precision;
    auto result = bench(device.with_kernel(forced(rung)), model, each);
    if (!result && result.error().code == ErrorCode::cancelled) return propagate(result);
    if (result) remember_naive(*result, each);
    const double share = !result ? 0 : rung.kernel == kPlan ? 1 : share_of(*result, rung.kernel);
    climbed({rung, std::move(result), share});
  }
  return {};
}

}  // namespace upres::upscale
