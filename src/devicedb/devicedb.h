// The database of devices: which values of a kernel's tunables to use where. JSON files under devices/, embedded in the
// binary; looked up exact device -> architecture -> vendor -> default.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernels/device_info.h"
#include "kernels/kernel.h"

namespace upres::devicedb {

// Vendor and architecture of a device as the files name them ("nvidia", "hopper"); "unknown" where the table of names
// does not have it.
struct Family {
  std::string vendor;
  std::string architecture;
};
Family family_of(const kernels::DeviceInfo& device);

// Immutable; safe from any thread.
class Database {
 public:
  // The embedded files. They are tested, so this cannot fail.
  static Database embedded();
  // From texts of files, for tests and overrides. Errors: device, naming the file and the wrong key.
  static Result<Database> parse(std::span<const std::string_view> files);

  // The nearest entry's tunables of a kernel; empty where none has any (the kernel's defaults hold then).
  [[nodiscard]] std::vector<kernels::Tuning> tuning(const kernels::DeviceInfo& device, std::string_view kernel) const;

 private:
  struct Entry {
    std::string vendor, architecture, device;  // empty: any
    std::string kernel;
    std::vector<kernels::Tuning> tuning;
  };
  std::vector<Entry> entries_;
};

// DeviceInfo as the JSON object that `devices --json` prints and `--device-info` reads (contract: event `device`).
// Errors: usage, naming the key that is missing or wrong.
Result<kernels::DeviceInfo> device_info_from_json(std::string_view text);
std::string device_info_to_json(const kernels::DeviceInfo& device, int index, std::string_view refused);

}  // namespace upres::devicedb
