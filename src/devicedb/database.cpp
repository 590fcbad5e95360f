#include <algorithm>
#include <limits>
#include <optional>

#include "devicedb/devicedb.h"
#include "devicedb/embedded_files.h"
#include "devicedb/json.h"

namespace upres::devicedb {
namespace {

constexpr auto kCode = ErrorCode::device;

// The kernel's tunable of this name, or null.
const kernels::Tunable* find_tunable(const kernels::Kernel& kernel, std::string_view name) {
  const auto tunables = kernel.tunables();
  const auto found =
      std::find_if(tunables.begin(), tunables.end(), [&](const auto& each) { return each.name == name; });
  return found == tunables.end() ? nullptr : &*found;
}

Result<std::vector<kernels::Tuning>> read_tuning(const Json& json, const std::string& place,
                                                 const kernels::Kernel& kernel) {
  const ObjectReader reader(json, place, kCode);
  std::vector<kernels::Tuning> tuning;
  for (const auto& item : json.items()) {
    const kernels::Tunable* tunable = find_tunable(kernel, item.key());
    if (tunable == nullptr)
      return reader.complain(item.key(), "is no tunable of " + std::string(kernel.id()));
    auto value = reader.number(item.key(), 0, std::numeric_limits<uint32_t>::max());
    if (!value) return propagate(value);
    const auto number = static_cast<uint32_t>(*value);
    if (std::find(tunable->values.begin(), tunable->values.end(), number) == tunable->values.end()) {
      return reader.complain(item.key(), "has a value that " + std::string(kernel.id()) + " does not take");
    }
    tuning.push_back({item.key(), number});
  }
  return tuning;
}

struct Record {
  std::string device;
  std::string kernel;
  std::string shape;
  std::vector<kernels::Tuning> tuning;
};

// `reason` and `measured` are for readers, but an entry without them is refused: nobody could judge it later.
Status check_evidence(const ObjectReader& reader) {
  auto reason = reader.string("reason");
  if (!reason) return propagate(reason);
  if (reason->empty()) return reader.complain("reason", "must say why");
  auto measured = reader.boolean("measured");
  if (!measured) return propagate(measured);
  return {};
}

Result<std::string> optional_string(const ObjectReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::string();
  auto value = reader.string(key);
  if (value && value->empty()) return reader.complain(key, "must not be empty");
  return value;
}

Result<Record> read_record(const Json& json, const std::string& place) {
  if (!json.is_object()) return fail(kCode, "key \"" + place + "\" must be an object");
  const ObjectReader reader(json, place, kCode);
  if (auto status = reader.only({"device", "kernel", "shape", "tuning", "reason", "measured"}); !status)
    return propagate(status);
  if (auto status = check_evidence(reader); !status) return propagate(status);
  auto id = reader.string("kernel");
  if (!id) return propagate(id);
  const kernels::Kernel* kernel = kernels::find_kernel(*id);
  if (kernel == nullptr) return reader.complain("kernel", "names no kernel of this version");
  Record record{{}, *id, {}, {}};
  for (const auto& [key, member] : {std::pair{"device", &record.device}, std::pair{"shape", &record.shape}}) {
    auto text = optional_string(reader, key);
    if (!text) return propagate(text);
    *member = std::move(*text);
  }
  auto tuning_json = reader.object("tuning");
  if (!tuning_json) return propagate(tuning_json);
  auto tuning = read_tuning(**tuning_json, place + ".tuning", *kernel);
  if (!tuning) return propagate(tuning);
  record.tuning = std::move(*tuning);
  return record;
}

struct File {
  std::string vendor, architecture;
  std::vector<Record> records;
};

Result<File> read_file(std::string_view text) {
  auto json = parse_object(text, kCode);
  if (!json) return propagate(json);
  const ObjectReader reader(*json, "", kCode);
  if (auto status = reader.only({"$schema", "vendor", "architecture", "entries"}); !status)
    return propagate(status);
  auto vendor = optional_string(reader, "vendor");
  if (!vendor) return propagate(vendor);
  auto architecture = optional_string(reader, "architecture");
  if (!architecture) return propagate(architecture);
  if (vendor->empty() && !architecture->empty()) return reader.complain("architecture", "needs a vendor");
  auto entries = reader.array("entries");
  if (!entries) return propagate(entries);
  File file{*vendor, *architecture, {}};
  for (size_t i = 0; i < (*entries)->size(); ++i) {
    auto record = read_record((**entries)[i], "entries[" + std::to_string(i) + "]");
    if (!record) return propagate(record);
    const auto same = [&](const Record& other) {
      return other.device == record->device && other.kernel == record->kernel && other.shape == record->shape;
    };
    if (std::any_of(file.records.begin(), file.records.end(), same)) {
      return reader.complain("entries", "has two entries for kernel " + record->kernel);
    }
    file.records.push_back(std::move(*record));
  }
  return file;
}

}  // namespace

Result<Database> Database::parse(std::span<const NamedText> files) {
  Database database;
  for (const NamedText& text : files) {
    auto file = read_file(text.text);
    if (!file) return propagate(file, std::string("device database ") + std::string(text.name));
    for (Record& record : file->records) {
      database.entries_.push_back({file->vendor, file->architecture, std::move(record.device),
                                   std::move(record.kernel), std::move(record.shape),
                                   std::move(record.tuning)});
    }
  }
  return database;
}

Database Database::embedded() {
  // A test parses the embedded files; should they ever be wrong, kernels' own defaults hold.
  return parse(embedded_files()).value_or(Database());
}

// How near an entry's device is: 3 the same, 2 its architecture, 1 its vendor, 0 any; nothing: another one.
std::optional<int> Database::nearness(const Entry& entry, const Family& family,
                                      std::string_view device_name) {
  if (!entry.device.empty() && entry.device != device_name) return std::nullopt;
  if (!entry.vendor.empty() && entry.vendor != family.vendor) return std::nullopt;
  if (!entry.architecture.empty() && entry.architecture != family.architecture) return std::nullopt;
  if (!entry.device.empty()) return 3;
  return entry.architecture.empty() ? (entry.vendor.empty() ? 0 : 1) : 2;
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
    const int rank = 2 * *near + (entry.shape.empty() ? 0 : 1);
    // Of equally near entries the last: files given later override earlier ones.
    if (rank >= best) {
      best = rank;
      nearest = &entry;
    }
  }
  return nearest == nullptr ? std::vector<kernels::Tuning>{} : nearest->tuning;
}

}  // namespace upres::devicedb
