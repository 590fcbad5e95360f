#include "vkc/pipeline_cache_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <system_error>

#include "vkc/status.h"

namespace vkc::detail {
namespace {

constexpr std::string_view kMagic = "vkcpipes";
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 29;
constexpr std::size_t kHeaderBytes = 8 + 4 + 3 * 4 + 3 * 16 + 8 + 8;

// FNV-1a, 64 bits.
std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3;
  return hash;
}

void append(std::vector<std::byte>& to, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// Everything of the header before the payload's size and hash.
std::vector<std::byte> prefix_of(const PipelineCacheKey& key) {
  std::vector<std::byte> prefix;
  for (const char c : kMagic) prefix.push_back(static_cast<std::byte>(c));
  append(prefix, kFormatVersion, 4);
  append(prefix, key.vendor_id, 4);
  append(prefix, key.device_id, 4);
  append(prefix, key.driver_version, 4);
  for (const Uuid* uuid : {&key.device_uuid, &key.driver_uuid, &key.pipeline_cache_uuid}) {
    for (const std::uint8_t byte : *uuid) prefix.push_back(static_cast<std::byte>(byte));
  }
  return prefix;
}

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(bytes[offset + i]) << (8 * i);
  return value;
}

// The file that holds `key` in `folder`, not its content.
std::filesystem::path path_of(const std::filesystem::path& folder, const PipelineCacheKey& key) {
  return folder / pipeline_cache_file_name(key);
}

// A name that no other writer uses at the same time.
std::filesystem::path temporary_path(const std::filesystem::path& folder) {
  static std::atomic<unsigned> counter = 0;
  return folder / (".vkc-" + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".tmp");
}

bool write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file.good();
}

}  // namespace

std::string pipeline_cache_file_name(const PipelineCacheKey& key) {
  return "vkc-" + to_text(key.device_uuid) + "-" + to_text(key.driver_uuid) + "-" +
         std::to_string(key.driver_version) + ".pipelines";
}

std::vector<std::byte> encode_pipeline_cache(const PipelineCacheKey& key,
                                             std::span<const std::byte> payload) {
  std::vector<std::byte> file = prefix_of(key);
  append(file, payload.size(), 8);
  append(file, hash_of(payload), 8);
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

Result<std::span<const std::byte>> decode_pipeline_cache(const PipelineCacheKey& key,
                                                         std::span<const std::byte> file) {
  if (file.size() < kHeaderBytes) return fail(ErrorCode::file, "it is cut short");
  const std::vector<std::byte> prefix = prefix_of(key);
  if (!std::equal(prefix.begin(), prefix.end(), file.begin())) {
    return fail(ErrorCode::file, "it is of another device, driver or version");
  }
  const auto payload = file.subspan(kHeaderBytes);
  if (number_at(file, prefix.size()) != payload.size() ||
      number_at(file, prefix.size() + 8) != hash_of(payload)) {
    return fail(ErrorCode::file, "it is damaged");
  }
  return payload;
}

Result<std::vector<std::byte>> read_pipeline_cache(const std::filesystem::path& folder,
                                                   const PipelineCacheKey& key) {
  const std::filesystem::path path = path_of(folder, key);
  const std::string name = "pipeline cache " + path.string();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) return std::vector<std::byte>();
  if (error) return fail(ErrorCode::file, "cannot read " + name + ": " + error.message());
  if (size > kLargestFile) return fail(ErrorCode::file, name + " is ignored: it is larger than any we write");
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) return fail(ErrorCode::file, "cannot read " + name);
  const auto payload = decode_pipeline_cache(key, bytes);
  if (!payload) return fail(ErrorCode::file, name + " is ignored: " + payload.error().message);
  return std::vector<std::byte>(payload->begin(), payload->end());
}

Status write_pipeline_cache(const std::filesystem::path& folder, const PipelineCacheKey& key,
                            std::span<const std::byte> payload) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(ErrorCode::file, "cannot make the folder " + folder.string() + ": " + error.message());
  const std::filesystem::path temporary = temporary_path(folder);
  if (!write_file(temporary, encode_pipeline_cache(key, payload))) {
    std::filesystem::remove(temporary, error);
    return fail(ErrorCode::file, "cannot write to the folder " + folder.string());
  }
  std::filesystem::rename(temporary, path_of(folder, key), error);
  if (!error) return {};
  const std::string reason = error.message();
  std::filesystem::remove(temporary, error);
  return fail(ErrorCode::file, "cannot write " + path_of(folder, key).string() + ": " + reason);
}

}  // namespace vkc::detail
