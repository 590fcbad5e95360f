// What the processor at hand can do for the CPU device.
#pragma once

#include <string>
#include <vector>

namespace upres::session {

struct CpuInfo {
  std::string name;                   // as the processor says: "AMD EPYC 9654 96-Core Processor"
  int cores = 1;                      // that this process may use: the default number of threads
  std::string isa;                    // the instruction set that oneDNN uses: "avx512_core_bf16"
  std::vector<std::string> features;  // of those that matter here: "avx2", "avx512_bf16", "amx_bf16", ...
  bool bf16 = false;                  // multiplies bf16 in hardware (AVX512-BF16 or AMX), in oneDNN's view
  std::string library;                // "oneDNN 2.6.3"
};

// Asks processor and oneDNN. From any thread.
CpuInfo cpu_info();

}  // namespace upres::session
