// A few moments of tuning before a network runs on a device for the first time.
#pragma once

#include <functional>
#include <optional>

#include "base/error.h"
#include "graph/graph.h"
#include "upscale/device.h"
#include "upscale/precision.h"

namespace upres::upscale {

inline constexpr double kFirstUseS = 2;

struct FirstUseOptions {
  double budget_s = kFirstUseS;
  std::function<bool()> cancelled = {};
};

// What became of it.
struct FirstUse {
  double seconds = 0;
  size_t layers = 0;  // kinds of convolutions that were new here
};

// Tries the neighbours of the parameters that the database gives for the convolutions of this picture
// network, in this process, and keeps what wins in the device's Tunings. Each convolution is tuned once per
// device, driver and cache, however far that comes; nothing where `upres tune` was before, on the CPU,
// without a cache folder, or with one that cannot be written. A software driver is treated like a GPU, on
// smaller planes: it is used only when somebody names it, and gains as much.
//
// A compiler cannot be stopped, so nothing is begun that could exceed the budget if it took three times as
// long as the slowest before it.
std::optional<FirstUse> tune_for_first_use(const Device& device, const graph::Graph& network,
                                           Precision precision, const FirstUseOptions& options = {});

}  // namespace upres::upscale
