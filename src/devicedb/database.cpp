#include <algorithm>
#include <optional>

#include "devicedb/devicedb.h"
#include "devicedb/embedded_files.h"

namespace upres::devicedb {

Result<Database> Database::parse(std::span<const NamedText> files) {
  std::vector<RecordFile> read;
  for (const NamedText& text : files) {
    auto file = read_records(text.text);
    if (!file) return propagate(file, std::string("device database ") + std::string(text.name));
    read.push_back(std::move(*file));
  }
  return Database(read);
}

Database::Database(std::span<const RecordFile> files) {
  for (const RecordFile& file : files) {
    for (const Record& record : file.records) {
      entries_.push_back({file.vendor, file.architecture, record.device, record.kernel, record.shape,
                          record.tuning, record.ns_per_px, record.measured});
    }
  }
}

Database Database::layered(const Database& lower, const Database& upper) {
  Database both = lower;
  int layers = 0;
  for (const Entry& entry : lower.entries_) layers = std::max(layers, entry.layer + 1);
  for (Entry entry : upper.entries_) {
    entry.layer += layers;
    both.entries_.push_back(std::move(entry));
  }
  return both;
}

Database Database::embedded() {
  // A test parses the embedded files; should they ever be wrong, kernels' own defaults hold.
  return parse(embedded_files()).value_or(Database());
}

// More than nearness and shape make together.
constexpr int kLayerRanks = 8;

// How near an entry's device is: 3 the same, 2 its architecture, 1 its vendor, 0 any; nothing: another one.
std::optional<int> Database::nearness(const Entry& entry, const Family& family,
                                      std::string_view device_name) {
  if (!entry.device.empty() && entry.device != device_name) return std::nullopt;
  if (!entry.vendor.empty() && entry.vendor != family.vendor) return std::nullopt;
  if (!entry.architecture.empty() && entry.architecture != family.architecture) return std::nullopt;
  if (!entry.device.empty()) return 3;
  return entry.architecture.empty() ? (entry.vendor.empty() ? 0 : 1) : 2;
}

bool Database::is_measured(const kernels::DeviceInfo& device, std::string_view kernel,
                           std::string_view shape) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.measured && entry.device == device.name && entry.kernel == kernel && entry.shape == shape;
  });
}

std::vector<Cost> Database::costs(const kernels::DeviceInfo& device, std::string_view kernel,
                                  std::string_view shape) const {
  const Family family = family_of(device);
  std::vector<Cost> costs;
  for (const Entry& entry : entries_) {
    if (entry.kernel != kernel || entry.shape != shape || entry.ns_per_px <= 0) continue;
    const auto near = nearness(entry, family, device.name);
    if (near) costs.push_back({kLayerRanks * entry.layer + *near, entry.ns_per_px});
  }
  // Of two in one place the later holds, as in tuning().
  std::ranges::reverse(costs);
  std::ranges::stable_sort(costs, std::ranges::greater(), &Cost::place);
  const auto same_place = [](const Cost& a, const Cost& b) { return a.place == b.place; };
  costs.erase(std::unique(costs.begin(), costs.end(), same_place), costs.end());
  return costs;
}

std::vector<kernels::Tuning> Database::tuning(const kernels::DeviceInfo& device, std::string_view kernel,
                                              std::string_view shape) const {
  const Family family = family_of(device);
  const Entry* nearest = nullptr;
  int best = -1;
  for (const Entry& entry : entries_) {
    if (entry.kernel != kernel || (!entry.shape.empty() && entry.shape != shape)) continue;
    const auto near = nearness(entry, family, device.name);
    if (!near) continue;
    const int rank = kLayerRanks * entry.layer + 2 * *near + (entry.shape.empty() ? 0 : 1);
    // Of equally near entries the last: files given later override earlier ones.
    if (rank >= best) {
      best = rank;
      nearest = &entry;
    }
  }
  return nearest == nullptr ? std::vector<kernels::Tuning>{} : nearest->tuning;
}

}  // namespace upres::devicedb
