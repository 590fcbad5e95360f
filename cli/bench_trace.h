// A trace of a benchmark's last runs, for Perfetto and chrome://tracing.
#pragma once

#include <string>

#include "upscale/bench.h"

namespace upres::cli {

// Trace Event Format (JSON): a process for the network alone and one for pixels to pixels, in each an event a
// step and window, from timestamps where the device has them; where only durations are known (the CPU, whose
// steps take turns by rows) one behind the other. Times in microseconds from the first event of the process
// on. title: of all. Errors: device (it tells no times at all).
Result<std::string> trace_text(const upscale::BenchResult& result, const std::string& title);

}  // namespace upres::cli
