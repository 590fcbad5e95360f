// Looks for the values of a kernel's tunables that are fastest for a task on a device. Knows no Vulkan: what
// measures is a Runner.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "devicedb/devicedb.h"
#include "tune/known.h"
#include "tune/runner.h"
#include "tune/task.h"

namespace upres::tune {

struct Measured {
  Parameters parameters;
  double time_ms = 0;
};

struct Rejected {
  Parameters parameters;
  std::string reason;
};

struct SearchResult {
  Measured standard;  // what the database or the kernel itself would use; time 0: it does not work
  Measured best;      // never slower than the standard, beyond noise
  std::vector<Rejected> rejected;
  size_t tried = 0;  // in this search
  size_t known = 0;  // from earlier ones
  size_t legal = 0;
  bool is_whole = false;  // neither time nor patience ran out: another search would find no more
  // Whether `best` may be kept. Not so while a faster candidate is known that was not compared with the
  // standard: `best` is the standard then.
  bool is_decided = false;
};

// Something a search has just learnt.
struct Candidate {
  const Parameters& parameters;
  std::optional<double> time_ms;  // absent: it was rejected
  std::string reason;
  const Measured& standard;  // time 0: not known yet, or it does not work
  const Measured& best;
};

enum class Scope {
  everything,  // all legal values where there are few, else a random sample and the neighbours of the best
  neighbours,  // of the standard values, and on from there while they get better
};

struct SearchOptions {
  double budget_s = 10;  // of the whole search, the comparison at its end included
  // What the standard values may take if that is more: all others are compared with them.
  double standard_s = 0;
  Scope scope = Scope::everything;
  std::function<bool()> cancelled = {};  // ends the search; what was found counts
  std::function<void(const Candidate&)> on_candidate = {};
  std::function<double()> now_s = {};  // a clock, for tests; empty: the real one
};

// The standard values are measured first, then others until the time is up, those in `known` not again (in a
// search of neighbours the standard ones are, which shows what compiling takes); what is learnt is added
// there. At the end the best and the standard are measured in turn, and the best must win beyond noise.
// Without time for that the best wins only if this search measured it and the standard, and it took less than
// 0.9 of the standard's time; else nothing is decided. A candidate is begun only if one as slow as the
// slowest so far would end in time. Standard values that do not work are rejected like any others, and the
// fastest that works wins.
//
// Errors: device (no values are legal, or none that was tried works, the standard ones included), cancelled
// (nothing was measured), input (the runner cannot measure).
Result<SearchResult> search(Runner& runner, const kernels::DeviceInfo& info,
                            const devicedb::Database& database, const Task& task, Known& known,
                            const SearchOptions& options);

// "group_size_x=32 pixels_x=4"
std::string to_text(const Parameters& parameters);

}  // namespace upres::tune
