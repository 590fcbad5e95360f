// Where the constant data of a chosen graph lies in its weight block.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace upres::plan {

struct WeightLayout {
  std::vector<std::vector<uint64_t>> offsets_bytes;  // [node][entry of ChosenNode::constant_data]
  uint64_t total_bytes = 0;
};

// One entry behind the other, each at a multiple of the storage buffer alignment.
WeightLayout layout_weights(const ChosenGraph& chosen);

}  // namespace upres::plan
