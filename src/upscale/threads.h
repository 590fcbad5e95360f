// CPU threads of the process.
#pragma once

namespace upres::upscale {

// More are a mistake, and the system would refuse them at some point.
inline constexpr int kMaxThreads = 4096;

// Sets how many threads every library in the process uses: once, before any work. 0: as many as there are
// cores.
void set_threads(int count);

}  // namespace upres::upscale
