// What a search found as JSON: for `upres tune --json`, and for the file that a user sends in.
#pragma once

#include <string_view>
#include <vector>

#include "devicedb/json.h"
#include "kernels/device_info.h"
#include "tune/search.h"

namespace upres::tune {

using devicedb::Json;

inline constexpr std::string_view kExportFormat = "upres tuning 1";

// Arithmetic over time.
double gflops(const Task& task, double time_ms);

// device vendor architecture driver compute_units clock_mhz limits; null where a device cannot tell.
Json describe_device(const kernels::DeviceInfo& info);

// kernel shape width height precision lowered best default rejected; within default nulls where it does not
// work.
Json describe_result(const Task& task, const SearchResult& result);

// The same of what is known after this candidate, and the candidate itself: parameters time_ms reason; of the
// last two one is null. `rejected` holds it, if it is.
Json describe_candidate(const Task& task, const Candidate& candidate);

// The file: format version device vendor ... entries, which are describe_result's.
Json describe_export(const kernels::DeviceInfo& info, std::string_view version,
                     const std::vector<Json>& entries);

// Every kernel's tunables with the values that they take, by id: what a file that was sent in is checked
// against.
Json describe_tunables();

}  // namespace upres::tune
