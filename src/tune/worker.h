// The worker's side: measures what it is asked for, until nobody asks any more.
//
// One JSON object a line each way. The worker begins with {"ready": true}. Requests:
//   {"do": "measure", "task": {...}, "parameters": {...}, "hopeless_ms": 1.5, "left_s": 10}
//     -> {"time_ms": 1.2, "compile_ms": 30}
//   {"do": "duel", "task": {...}, "standard": {...}, "best": {...}, "left_s": 10}
//     -> {"standard_ms": [...], "best_ms": [...]}
// or {"error": "why", "code": "device"}, with the codes of Runner.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "tune/runner.h"

namespace upres::tune {

// The answer to one request, without an end of line.
std::string answer(Runner& runner, std::string_view request);

// Answers the requests of one descriptor on the other until it ends. Errors: input (a descriptor fails, or a
// request is longer than 1 MiB).
Status serve(Runner& runner, int requests, int answers);

// One line each way; numbers may be anything. Errors of the readers: as Runner; input, when it is no answer.
std::string measure_request(const Task& task, const Parameters& parameters, const MeasureLimits& limits);
std::string duel_request(const Task& task, const Parameters& standard, const Parameters& best, double left_s);
Result<Timing> read_timing(std::string_view answer);
Result<Duel> read_duel(std::string_view answer);
bool is_ready(std::string_view line);

inline constexpr size_t kMostLineBytes = 1 << 20;

}  // namespace upres::tune
