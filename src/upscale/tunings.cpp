#include "upscale/tunings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/display_name.h"
#include "base/hash.h"
#include "kernels/kernel.h"
#include "session/gpu/compiled_kernels.h"
#include "upscale/files.h"
#include "upscale/version.h"

namespace upres::upscale {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxFileBytes = 1 << 20;
constexpr std::string_view kTuned = "tuned";

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<devicedb::RecordFile> read_override(const fs::path& path) {
  // A named pipe would wait for somebody who writes.
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return fail(ErrorCode::input, "it is no regular file");
  const auto bytes = read_file(path, kMaxFileBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return devicedb::read_records({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

// The files of a user, by name.
std::vector<devicedb::RecordFile> read_overrides(const Cache& cache, const Log& log) {
  std::vector<devicedb::RecordFile> files;
  if (cache.folder().empty()) return files;
  for (const fs::path& path : json_files(cache.folder() / "devices")) {
    auto file = read_override(path);
    if (file) {
      files.push_back(std::move(*file));
    } else {
      log.warning(display_name(path) + " is left out: " + file.error().message);
    }
  }
  return files;
}

bool same_place(const devicedb::Record& a, const devicedb::Record& b) {
  return a.kernel == b.kernel && a.shape == b.shape;
}

void put_record(std::vector<devicedb::Record>& records, devicedb::Record record) {
  std::erase_if(records, [&](const devicedb::Record& other) { return same_place(record, other); });
  records.push_back(std::move(record));
}

}  // namespace

std::string tuning_key(const kernels::DeviceInfo& info, const vkc::DeviceProperties& properties) {
  kernels::DeviceInfo lasting = info;
  lasting.limits.memory_budget_bytes = 0;
  const std::string limits = devicedb::device_info_to_json(lasting, 0, "");
  return fmt::format("device {} driver {} {} limits {} upres {}", info.uuid,
                     vkc::to_text(properties.driver_uuid), properties.driver_version, hex(hash_text(limits)),
                     kVersion);
}

Tunings::Tunings(Cache cache, kernels::DeviceInfo info, std::string key, Log log)
    : cache_(std::move(cache)), info_(std::move(info)), key_(std::move(key)), log_(std::move(log)) {
  below_ = devicedb::Database::layered(devicedb::Database::embedded(),
                                       devicedb::Database(read_overrides(cache_, log_)));
  if (!cache_.folder().empty()) {
    for (const kernels::Kernel* kernel : kernels::all_kernels()) {
      for (devicedb::Record& record : stored(kernel->id())) tuned_.push_back(std::move(record));
    }
  }
  rebuild();
}

std::shared_ptr<const devicedb::Database> Tunings::database() const {
  const std::lock_guard lock(mutex_);
  return database_;
}

bool Tunings::is_tuned(std::string_view kernel, std::string_view shape) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(tuned_.begin(), tuned_.end(), [&](const devicedb::Record& record) {
    return record.kernel == kernel && record.shape == shape;
  });
}

bool Tunings::keep(devicedb::Record record) {
  const std::lock_guard lock(mutex_);
  record.device = info_.name;
  put_record(tuned_, record);
  rebuild();
  if (cache_.folder().empty()) return false;
  // Other processes may have added entries meanwhile.
  std::vector<devicedb::Record> records = stored(record.kernel);
  const std::string kernel = record.kernel;
  put_record(records, std::move(record));
  return put_note(kernel, kTuned, devicedb::write_records({{}, {}, std::move(records)}));
}

std::optional<std::string> Tunings::note(std::string_view kernel, std::string_view name) const {
  return cache_.get(record_key(kernel, name), log_);
}

bool Tunings::put_note(std::string_view kernel, std::string_view name, std::string_view text) const {
  return cache_.put(record_key(kernel, name), text);
}

std::string Tunings::record_key(std::string_view kernel, std::string_view name) const {
  return fmt::format("{} {} modules {} {}", name, kernel, hex(session::module_hash(kernel)), key_);
}

// What the cache holds for a kernel, if that can be used: only of this kernel, and for one shape each.
std::vector<devicedb::Record> Tunings::stored(std::string_view kernel) const {
  const auto text = note(kernel, kTuned);
  if (!text) return {};
  auto file = devicedb::read_records(*text);
  if (!file) {
    log_.warning(fmt::format("what was tuned for {} is left out: {}", kernel, file.error().message));
    return {};
  }
  std::erase_if(file->records, [&](const devicedb::Record& record) {
    return record.kernel != kernel || record.shape.empty() || record.device != info_.name;
  });
  return std::move(file->records);
}

void Tunings::rebuild() {
  database_ = std::make_shared<const devicedb::Database>(devicedb::Database::layered(
      below_, devicedb::Database(std::array{devicedb::RecordFile{{}, {}, tuned_}})));
}

}  // namespace upres::upscale
