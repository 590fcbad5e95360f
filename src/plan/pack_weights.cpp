#include <algorithm>

#include "plan/memory.h"
#include "plan/weights.h"

namespace upres::plan {

WeightLayout layout_weights(const ChosenGraph& chosen) {
  WeightLayout layout;
  for (const ChosenNode& node : chosen.nodes) {
    std::vector<uint64_t>& offsets = layout.offsets_bytes.emplace_back();
    for (const std::vector<std::byte>& data : node.constant_data) {
      const uint64_t offset =
          align_up(layout.total_bytes, chosen.device.limits.min_storage_buffer_offset_alignment_bytes);
      offsets.push_back(offset);
      layout.total_bytes = offset + data.size();
    }
  }
  return layout;
}

WeightBlock pack_weights(const ChosenGraph& chosen) {
  const WeightLayout layout = layout_weights(chosen);
  WeightBlock block{std::vector<std::byte>(layout.total_bytes)};
  for (size_t node = 0; node < chosen.nodes.size(); ++node) {
    const auto& entries = chosen.nodes[node].constant_data;
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      const auto offset = static_cast<std::ptrdiff_t>(layout.offsets_bytes[node][entry]);
      std::copy(entries[entry].begin(), entries[entry].end(), block.bytes.begin() + offset);
    }
  }
  return block;
}

}  // namespace upres::plan
