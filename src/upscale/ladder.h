// Every convolution kernel of the table on one model and size, from the plainest to the fastest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "upscale/bench.h"
#include "upscale/device.h"
#include "upscale/model.h"

namespace upres::upscale {

// A kernel in one precision; layers that it does not compute are the plan's. Kernel "plan": all of them are.
struct Rung {
  std::string kernel;
  Precision precision = Precision::fp32;
  // Why it cannot be used: illegal here for every layer, or a precision that the device has not.
  std::optional<Error> refusal = {};
};

// All of them in the order in which they are climbed: the table's, its last (conv_naive) first, each in fp32,
// then in fp16 where the kernel has it; then the plan in both. only: this precision alone.
std::vector<Rung> ladder_rungs(const Device& device, const graph::Graph& network,
                               std::optional<Precision> only);

// A rung and what came of it; an error where something failed on the way, which says nothing of the others.
struct ClimbedRung {
  Rung rung;
  Result<BenchResult> result;
  double share = 0;  // of the multiply-adds that the rung's kernel computes itself
};

// Measures each rung that can be used, as bench() does; options.precision counts for nothing. `climbed` is
// called after each. Errors: device (the CPU has no ladder), cancelled.
Status climb_ladder(const Device& device, const PictureModel& model, const std::vector<Rung>& rungs,
                    const BenchOptions& options, const std::function<void(const ClimbedRung&)>& climbed);

}  // namespace upres::upscale
