// The file that keeps a device's compiled pipelines between runs: our header around the driver's opaque
// bytes.
//
// Drivers trust what they are given back, and some crash on damaged data; so the payload is handed to the
// driver only if it is, to the byte, what the same driver for the same device once wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <vkc/error.h>
#include <vkc/instance.h>

namespace vkc::detail {

// Whose pipelines they are. Anything else is foreign.
struct PipelineCacheKey {
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::uint32_t driver_version = 0;
  Uuid device_uuid = {};
  Uuid driver_uuid = {};
  Uuid pipeline_cache_uuid = {};
  friend bool operator==(const PipelineCacheKey&, const PipelineCacheKey&) = default;
};

// "vkc-<device>-<driver>-<version>.pipelines"
std::string pipeline_cache_file_name(const PipelineCacheKey& key);

// The file's bytes: magic, format version, key, payload size, hash of the payload, payload.
std::vector<std::byte> encode_pipeline_cache(const PipelineCacheKey& key, std::span<const std::byte> payload);
// The payload inside `file`. Errors: file (damaged, cut short, or of another device or driver).
Result<std::span<const std::byte>> decode_pipeline_cache(const PipelineCacheKey& key,
                                                         std::span<const std::byte> file);

// The payload of the folder's file for this key; empty if there is no such file. Errors: file (unreadable, or
// as decode_pipeline_cache).
Result<std::vector<std::byte>> read_pipeline_cache(const std::filesystem::path& folder,
                                                   const PipelineCacheKey& key);
// Writes it: the folder is made if missing, the bytes go to a temporary file there, which is then renamed.
// Errors: file.
Status write_pipeline_cache(const std::filesystem::path& folder, const PipelineCacheKey& key,
                            std::span<const std::byte> payload);

}  // namespace vkc::detail
