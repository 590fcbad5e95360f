#include "upscale/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace upres::upscale {
namespace {

std::optional<uint64_t> first_number(const std::string& path) {
  std::ifstream file(path);
  uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

// MemAvailable of /proc/meminfo: free memory and what the page cache would give back.
std::optional<uint64_t> free_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    uint64_t kibibytes = 0;
    if (words >> key >> kibibytes && key == "MemAvailable:") return kibibytes * 1024;
  }
  return std::nullopt;
}

// What is left of the limit of the control group (version 2) that a container sets.
std::optional<uint64_t> left_in_group_bytes() {
  const auto limit = first_number("/sys/fs/cgroup/memory.max");
  const auto used = first_number("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return std::nullopt;
  return *limit - std::min(*limit, *used);
}

// What is left of `ulimit -v`.
std::optional<uint64_t> left_of_address_space_bytes() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto pages = first_number("/proc/self/statm");
  const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t used = pages ? *pages * page_bytes : 0;
  return limit.rlim_cur - std::min<uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::optional<uint64_t> available_memory_bytes() {
  std::optional<uint64_t> least;
  for (const auto& part : {free_memory_bytes(), left_in_group_bytes(), left_of_address_space_bytes()}) {
    if (part && (!least || *part < *least)) least = part;
  }
  return least;
}

std::string memory_text(uint64_t bytes) {
  std::array<char, 48> text{};
  const double mebibytes = static_cast<double>(bytes) / (1024.0 * 1024.0);
  if (mebibytes < 1024) {
    std::snprintf(text.data(), text.size(), "%.0f MiB", mebibytes);
  } else {
    std::snprintf(text.data(), text.size(), "%.1f GiB", mebibytes / 1024);
  }
  return text.data();
}

}  // namespace upres::upscale
