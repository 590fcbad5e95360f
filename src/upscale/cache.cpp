#include "upscale/cache.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <system_error>
#include <vector>

#include "base/display_name.h"
#include "base/hash.h"
#include "upscale/files.h"

namespace upres::upscale {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecordExtension = ".upres";
constexpr std::string_view kHeading = "upres cache 1";
constexpr uint64_t kMaxRecordBytes = 1 << 20;

fs::path record_path(const fs::path& folder, std::string_view key) {
  return folder / (hex(hash_text(key)) + std::string(kRecordExtension));
}

// Heading, key, value, and the hash of these three lines.
std::string make_record(std::string_view key, std::string_view value) {
  std::string text;
  for (const std::string_view line : {kHeading, key, value}) text.append(line).push_back('\n');
  return text + hex(hash_text(text)) + "\n";
}

// What make_record made of this key and a value; nothing of any other text.
std::optional<std::string> value_of(const std::string& text, std::string_view key) {
  const size_t begin = kHeading.size() + 1 + key.size() + 1;
  const size_t end = text.find('\n', begin);
  if (end == std::string::npos) return std::nullopt;
  std::string value = text.substr(begin, end - begin);
  if (text != make_record(key, value)) return std::nullopt;
  return value;
}

// Whether it is a file of ours: records, and the pipelines of vkc.
bool is_ours(const fs::path& path) {
  const auto extension = path.extension();
  return extension == kRecordExtension || extension == ".pipelines";
}

struct File {
  fs::path path;
  fs::file_time_type written;
  uint64_t size_bytes = 0;
};

std::vector<File> files_of(const fs::path& folder) {
  std::vector<File> files;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    std::error_code error;
    if (!is_ours(it->path()) || !it->is_regular_file(error) || error) continue;
    const auto written = it->last_write_time(error);
    const auto size_bytes = it->file_size(error);
    if (!error) files.push_back({it->path(), written, size_bytes});
  }
  return files;
}

void remove_oldest(std::vector<File> files, uint64_t limit_bytes) {
  uint64_t total_bytes = 0;
  for (const File& file : files) total_bytes += file.size_bytes;
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.written < b.written; });
  for (const File& file : files) {
    if (total_bytes <= limit_bytes) return;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    total_bytes -= file.size_bytes;
  }
}

}  // namespace

std::optional<std::string> Cache::get(std::string_view key, const Log& log) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = record_path(folder_, key);
  const auto bytes = read_file(path, kMaxRecordBytes);
  std::error_code error;
  if (!bytes && !fs::exists(fs::symlink_status(path, error))) return std::nullopt;
  auto value =
      bytes ? value_of({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, key) : std::nullopt;
  if (!value) {
    log.warning("cache: " + display_name(path) +
                " is left out: " + (bytes ? "damaged, or of something else" : bytes.error().message));
  }
  return value;
}

bool Cache::put(std::string_view key, std::string_view value) const {
  if (folder_.empty()) return false;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  const std::string record = make_record(key, value);
  return write_file(record_path(folder_, key), std::as_bytes(std::span(record))).has_value();
}

Status Cache::check_writable() const {
  if (folder_.empty()) return fail(ErrorCode::input, "there is no cache folder");
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    return fail(ErrorCode::input, "the cache folder " + display_name(folder_) + ": " + error.message());
  constexpr std::string_view kProbe = "whether this folder can be written";
  const fs::path path = record_path(folder_, kProbe);
  const std::string record = make_record(kProbe, "");
  const auto written = write_file(path, std::as_bytes(std::span(record)));
  fs::remove(path, error);
  return written;
}

void Cache::trim(uint64_t limit_bytes) const {
  if (folder_.empty()) return;
  try {
    remove_oldest(files_of(folder_), limit_bytes);
  } catch (const std::exception&) {
    return;  // the folder changes under us: the next run trims it
  }
}

}  // namespace upres::upscale
