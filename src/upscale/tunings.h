// What was tuned on a device, and the files with which a user overrides the device database: both kept in the
// cache folder, beside the embedded database.
#pragma once

#include <vkc/device.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "devicedb/devicedb.h"
#include "kernels/device_info.h"
#include "upscale/cache.h"

namespace upres::upscale {

// What a measurement depends on besides the kernel: device and driver, their versions and limits, and this
// version of upres. Free memory, which changes from run to run, is left out.
std::string tuning_key(const kernels::DeviceInfo& info, const vkc::DeviceProperties& properties);

// The database for one device: what was tuned on this very device holds before files of the user
// (`<cache>/devices/*.json`), and these before the embedded database; within each the nearest entry.
//
// A file of the user that is no database file of this version is left out whole, a record of the cache that
// is damaged too, each with a line in the log (warning). Thread rule: any thread; any number of processes may
// use one folder.
class Tunings {
 public:
  // Reads the cache. `key`: tuning_key of the device.
  Tunings(Cache cache, kernels::DeviceInfo info, std::string key, Log log = {});

  [[nodiscard]] std::shared_ptr<const devicedb::Database> database() const;

  // The same without what was tuned on this very device.
  [[nodiscard]] const devicedb::Database& untuned() const { return below_; }

  // Whether this very device was tuned for a kernel and shape.
  [[nodiscard]] bool is_tuned(std::string_view kernel, std::string_view shape) const;

  // Takes an entry for this device, with kernel and shape, in place of an earlier one: at once for
  // database(), and for later runs. Whether it could be written; without a folder it cannot.
  bool keep(devicedb::Record record);

  // A text under a name of the caller's choice, kept for this device and these modules of a kernel. As
  // Cache::get and put.
  [[nodiscard]] std::optional<std::string> note(std::string_view kernel, std::string_view name) const;
  bool put_note(std::string_view kernel, std::string_view name, std::string_view text) const;

  [[nodiscard]] const Cache& cache() const { return cache_; }

 private:
  [[nodiscard]] std::string record_key(std::string_view kernel, std::string_view name) const;
  [[nodiscard]] std::vector<devicedb::Record> stored(std::string_view kernel) const;
  void rebuild();

  Cache cache_;
  kernels::DeviceInfo info_;
  std::string key_;
  Log log_;
  devicedb::Database below_;  // embedded and the user's
  mutable std::mutex mutex_;
  std::vector<devicedb::Record> tuned_;
  std::shared_ptr<const devicedb::Database> database_;
};

}  // namespace upres::upscale
