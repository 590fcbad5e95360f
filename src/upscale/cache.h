// What was measured once, kept in a folder between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"

namespace upres::upscale {

inline constexpr uint64_t kCacheLimitBytes = 256ULL << 20;

// A folder of small records, one file each, checked by key and hash: a missing, damaged, foreign or
// unwritable folder costs time, never correctness. The same folder holds the pipelines that vkc keeps.
// Copyable; any thread and any number of processes at once.
class Cache {
 public:
  Cache() = default;  // remembers nothing
  explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Empty: nothing is kept.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  // The value put under exactly this key, if there is one. A record that is there but damaged is told to the
  // log (warning).
  [[nodiscard]] std::optional<std::string> get(std::string_view key, const Log& log = {}) const;
  // Makes the folder if it is missing. Key and value are one line each. Whether it worked.
  bool put(std::string_view key, std::string_view value) const;

  // Whether put() can work; the folder is made if it is missing. Errors: input, saying why not.
  [[nodiscard]] Status check_writable() const;

  // Removes the oldest files of upres until the rest has at most limit_bytes. Files of others stay.
  void trim(uint64_t limit_bytes = kCacheLimitBytes) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace upres::upscale
