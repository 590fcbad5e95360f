// Looks for the values of a kernel's tunables that are fastest for a task on a device.
#pragma once

#include <vkc/device.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "devicedb/devicedb.h"
#include "tune/task.h"

namespace upres::tune {

struct Measured {
  std::vector<kernels::Tuning> tuning;
  double time_ms = 0;
};

struct Rejected {
  std::vector<kernels::Tuning> tuning;
  std::string reason;
};

struct SearchResult {
  Measured standard;  // what the database or the kernel itself would use
  Measured best;      // never slower than the standard, beyond noise
  std::vector<Rejected> rejected;
  size_t tried = 0;
  size_t legal = 0;
};

struct SearchOptions {
  double budget_s = 10;                  // of the whole search
  std::function<bool()> cancelled = {};  // ends the search; what was found counts
};

// The standard values are measured first. Then all legal ones where there are few, else a random sample and
// the neighbours of the best. A candidate that does not compile, compiles for over 2 s, computes a wrong
// result or takes no credible time is rejected. At the end the best and the standard are measured again in
// turn, and the best must win beyond noise. Errors: device (not even the standard values work).
Result<SearchResult> search(const vkc::Device& device, const kernels::DeviceInfo& info,
                            const devicedb::Database& database, const Task& task,
                            const SearchOptions& options);

// "group_size_x=32 pixels_x=4"
std::string to_text(const std::vector<kernels::Tuning>& tuning);

}  // namespace upres::tune
