// Which memory each tensor of a graph gets at given extents. Used by make_plan and by choose_tile_edge, so
// that what the one finds to fit the other can plan.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"
#include "kernels/device_info.h"
#include "kernels/storage.h"
#include "plan/plan.h"

namespace upres::plan {

// A piece of a block. size_bytes 0: the value is not used by any node.
struct Place {
  ResourceKind kind = ResourceKind::scratch;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
  bool zeroed = false;
  uint32_t image = 0;  // index into Blocks::images
};

// Table of a Resample node: first samples (i32[out]), then weights (f32[out][taps]).
struct TablePlaces {
  uint32_t node_index = 0;
  Place first_samples;
  Place weights;
};

struct Blocks {
  std::vector<Place> values;  // by ValueId
  std::vector<TablePlaces> tables;
  std::vector<ImageDescription> images;
  uint64_t input_bytes = 0;
  uint64_t output_bytes = 0;
  uint64_t scratch_bytes = 0;
};

// Every offset is a multiple of the storage buffer alignment. storages: one per value; empty: not chosen yet,
// each value takes the most that it can in a buffer. Errors: device, when a tensor is beyond the storage
// buffer range, a block beyond the buffer size, or an image beyond what images may have; named with the limit
// and both numbers.
Result<Blocks> assign_blocks(const graph::Graph& graph, std::span<const Extent> extents,
                             std::span<const kernels::Storage> storages, const kernels::DeviceLimits& limits);

// "134217728 bytes (128.0 MiB)", for messages.
std::string bytes_text(uint64_t bytes);

}  // namespace upres::plan
