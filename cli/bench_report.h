// What bench prints: one result, or the tables of the ladder.
#pragma once

#include <vector>

#include "console.h"
#include "upscale/bench.h"
#include "upscale/device.h"
#include "upscale/ladder.h"
#include "upscale/model.h"

namespace upres::cli {

// What was measured on what.
struct BenchSubject {
  const upscale::Device& device;
  const upscale::PictureModel& model;
  const upscale::BenchOptions& options;  // their precision aside
};

// Event `result`, or lines of text; the parts of the time with --verbose.
void print_bench_result(Console& console, const BenchSubject& subject, upscale::Precision precision,
                        const upscale::BenchResult& result);

void print_ladder_head(Console& console, const BenchSubject& subject);
// Event `result`, or a line of the ladder's first table.
void print_rung(Console& console, const BenchSubject& subject, const upscale::ClimbedRung& climbed);
// The other tables: bytes and time by layer, groups with what they hold.
void print_ladder_tables(Console& console, const std::vector<upscale::ClimbedRung>& climbed);

}  // namespace upres::cli
