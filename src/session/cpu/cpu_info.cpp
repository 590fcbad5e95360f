#include "session/cpu/cpu_info.h"

#include <omp.h>

#include <array>
#include <cstring>

#include "session/cpu/onednn.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace upres::session {
namespace {

#if defined(__x86_64__) || defined(__i386__)

struct Registers {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
};

Registers cpuid(unsigned int leaf, unsigned int subleaf = 0) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

// Brand string, leaves 0x80000002 to 0x80000004 (Intel SDM vol. 2A, CPUID).
std::string processor_name() {
  std::array<char, 49> text{};
  for (unsigned int i = 0; i < 3; ++i) {
    const Registers r = cpuid(0x80000002U + i);
    const std::array<unsigned int, 4> words = {r.eax, r.ebx, r.ecx, r.edx};
    std::memcpy(text.data() + i * sizeof(words), words.data(), sizeof(words));
  }
  std::string name(text.data());
  const size_t begin = name.find_first_not_of(' ');
  if (begin == std::string::npos) return "x86 processor";
  return name.substr(begin, name.find_last_not_of(' ') - begin + 1);
}

// Bits of leaf 7 (Intel SDM vol. 2A, CPUID; the AMD manual agrees).
std::vector<std::string> processor_features() {
  const Registers base = cpuid(7, 0);
  const Registers more = cpuid(7, 1);
  std::vector<std::string> features;
  const auto add = [&](unsigned int word, int bit, const char* name) {
    if ((word >> bit & 1U) != 0) features.emplace_back(name);
  };
  add(base.ebx, 5, "avx2");
  add(base.ebx, 16, "avx512f");
  add(base.ecx, 11, "avx512_vnni");
  add(more.eax, 5, "avx512_bf16");
  add(base.edx, 22, "amx_bf16");
  add(base.edx, 25, "amx_int8");
  return features;
}

#else

std::string processor_name() { return "CPU"; }
std::vector<std::string> processor_features() { return {}; }

#endif

}  // namespace

CpuInfo cpu_info() {
  return {.name = processor_name(),
          .cores = omp_get_num_procs(),
          .isa = cpu::onednn_isa(),
          .features = processor_features(),
          .bf16 = cpu::onednn_has_bf16(),
          .library = cpu::onednn_version()};
}

}  // namespace upres::session
