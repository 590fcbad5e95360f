#include <algorithm>
#include <limits>

#include "devicedb/devicedb.h"
#include "devicedb/json.h"
#include "devicedb/shape.h"

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

// `reason` and `measured` are for readers, but an entry without them is refused: nobody could judge it later.
Status read_evidence(const ObjectReader& reader, Record& record) {
  auto reason = reader.string("reason");
  if (!reason) return propagate(reason);
  if (reason->empty()) return reader.complain("reason", "must say why");
  auto measured = reader.boolean("measured");
  if (!measured) return propagate(measured);
  if (reader.has("ns_per_px")) {
    auto cost = reader.positive("ns_per_px");
    if (!cost) return propagate(cost);
    record.ns_per_px = *cost;
  }
  record.reason = std::move(*reason);
  record.measured = *measured;
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
  if (auto status = reader.only({"device", "kernel", "shape", "tuning", "reason", "measured", "ns_per_px"});
      !status)
    return propagate(status);
  Record record;
  if (auto status = read_evidence(reader, record); !status) return propagate(status);
  auto id = reader.string("kernel");
  if (!id) return propagate(id);
  const kernels::Kernel* kernel = kernels::find_kernel(*id);
  if (kernel == nullptr) return reader.complain("kernel", "names no kernel of this version");
  record.kernel = *id;
  for (const auto& [key, member] : {std::pair{"device", &record.device}, std::pair{"shape", &record.shape}}) {
    auto text = optional_string(reader, key);
    if (!text) return propagate(text);
    *member = std::move(*text);
  }
  if (!record.shape.empty() && !parse_shape(record.shape))
    return reader.complain("shape", "must be like \"64->32 3x3 fp16\"");
  auto tuning_json = reader.object("tuning");
  if (!tuning_json) return propagate(tuning_json);
  auto tuning = read_tuning(**tuning_json, place + ".tuning", *kernel);
  if (!tuning) return propagate(tuning);
  record.tuning = std::move(*tuning);
  return record;
}

}  // namespace

Result<RecordFile> read_records(std::string_view text) {
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
  RecordFile file{*vendor, *architecture, {}};
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

std::string write_records(const RecordFile& file) {
  Json json = Json::object();
  if (!file.vendor.empty()) json["vendor"] = file.vendor;
  if (!file.architecture.empty()) json["architecture"] = file.architecture;
  json["entries"] = Json::array();
  for (const Record& record : file.records) {
    Json entry = {{"kernel", record.kernel}};
    if (!record.device.empty()) entry["device"] = record.device;
    if (!record.shape.empty()) entry["shape"] = record.shape;
    entry["tuning"] = Json::object();
    for (const kernels::Tuning& tuned : record.tuning) entry["tuning"][tuned.name] = tuned.value;
    entry["reason"] = record.reason;
    entry["measured"] = record.measured;
    if (record.ns_per_px > 0) entry["ns_per_px"] = record.ns_per_px;
    json["entries"].push_back(std::move(entry));
  }
  // A driver's name need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace upres::devicedb
