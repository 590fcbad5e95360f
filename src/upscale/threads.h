// CPU threads of the process.
#pragma once

namespace upres::upscale {

// Sets how many threads every library in the process uses: once, before any work. 0: as many as there are
// cores.
void set_threads(int count);

}  // namespace upres::upscale
