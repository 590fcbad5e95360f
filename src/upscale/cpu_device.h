// The CPU as a device, in builds with and without it: the only place that knows which build this is.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "graph/graph.h"
#include "session/session.h"
#include "upscale/precision.h"

namespace upres::upscale {

struct DeviceEntry;

// The processor of this machine; refused in a build without the CPU device.
DeviceEntry cpu_entry(int index);

// Whether it multiplies bf16 in hardware, which makes bf16 the faster form.
bool cpu_has_bf16();

// Name and version of the library that computes, "oneDNN 2.6.3"; empty in a build without the CPU device.
std::string cpu_library();

// A session on the CPU, in fp32 or bf16. threads 0: as many as there are cores. Errors: device.
Result<std::unique_ptr<session::Session>> make_cpu_session(const graph::Graph& graph, Precision precision,
                                                           int threads, const Log& log);

}  // namespace upres::upscale
