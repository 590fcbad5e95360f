// The database of devices: which values of a kernel's tunables to use where. JSON files under devices/,
// embedded in the binary; looked up exact device -> architecture -> vendor -> default.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernels/device_info.h"
#include "kernels/kernel.h"

namespace upres::devicedb {

// Vendor and architecture of a device as the files name them ("nvidia", "hopper"); "unknown" where the table
// of names does not have it.
struct Family {
  std::string vendor;
  std::string architecture;
};
Family family_of(const kernels::DeviceInfo& device);
// Whether the table of names has this architecture of this vendor; not so for "unknown".
bool is_known(const Family& family);

// A file of the database: its name is for messages.
struct NamedText {
  std::string_view name;
  std::string_view text;
};

// An entry of a file of the database.
struct Record {
  std::string device = {};  // exact name; empty: any
  std::string kernel;
  std::string shape = {};  // as kernels::shape_text says; empty: any
  std::vector<kernels::Tuning> tuning = {};
  std::string reason;  // must say something
  bool measured = false;
  // Device time per pixel of the input of a large picture; 0: not known. What kernels are chosen by.
  double ns_per_px = 0;
};

struct Cost {
  int place = 0;  // a nearer one is larger
  double ns_per_px = 0;
};

// What a file of the database holds. Empty vendor or architecture: any.
struct RecordFile {
  std::string vendor = {};
  std::string architecture = {};
  std::vector<Record> records = {};
};

// Reads a text that may be anything. Errors: device, naming the key that is missing, unknown, of another
// type, or holds what the kernels of this version do not take.
Result<RecordFile> read_records(std::string_view text);
// The same file as one line.
std::string write_records(const RecordFile& file);

// Immutable; safe from any thread.
class Database {
 public:
  // The embedded files. They are tested, so this cannot fail.
  static Database embedded();
  // From texts of files; where two are equally near to a device, the later one holds. Errors: device, naming
  // the file and the wrong key.
  static Result<Database> parse(std::span<const NamedText> files);
  // As parse, of files that are read already.
  explicit Database(std::span<const RecordFile> files);
  Database() = default;

  // All entries of both; one of `upper` holds before every one of `lower`, however near.
  static Database layered(const Database& lower, const Database& upper);

  // The nearest entry's tunables of a kernel; empty where none has any (the kernel's defaults hold then).
  // shape: what it is to compute, as kernels::shape_text says; of equally near entries the one for this very
  // shape holds, else one for any.
  [[nodiscard]] std::vector<kernels::Tuning> tuning(const kernels::DeviceInfo& device,
                                                    std::string_view kernel,
                                                    std::string_view shape = {}) const;

  // Whether somebody measured this very kernel and shape on this very device.
  [[nodiscard]] bool is_measured(const kernels::DeviceInfo& device, std::string_view kernel,
                                 std::string_view shape) const;

  // What a kernel costs for a shape, from every place that knows, nearest first. Costs compare only within
  // one place: the same file's entries for a device, an architecture, a vendor or all.
  [[nodiscard]] std::vector<Cost> costs(const kernels::DeviceInfo& device, std::string_view kernel,
                                        std::string_view shape) const;

 private:
  struct Entry {
    std::string vendor, architecture, device;  // empty: any
    std::string kernel;
    std::string shape;  // empty: any
    std::vector<kernels::Tuning> tuning;
    double ns_per_px = 0;
    bool measured = false;
    int layer = 0;  // a higher one holds before all lower ones
  };
  static std::optional<int> nearness(const Entry& entry, const Family& family, std::string_view device_name);

  std::vector<Entry> entries_;
};

// DeviceInfo as the JSON object that `devices --json` prints and `--device-info` reads: one line with `event`
// "device", `kind` "gpu", `type` DeviceInfo::kind, `limits` with all members of DeviceLimits by name,
// `refused` null where the text is empty. Reading needs name, uuid, type, driver and all limits; vendor_id
// and device_id are optional, and so are the limits of images (without them a device has none); other keys
// are ignored. Errors: usage, naming the key that is missing or wrong.
// Memory of 0 bytes counts as not told.
Result<kernels::DeviceInfo> device_info_from_json(std::string_view text);
std::string device_info_to_json(const kernels::DeviceInfo& device, int index, std::string_view refused);

}  // namespace upres::devicedb
