// Whether the device database may take what somebody sent in.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"

namespace upres::tune {

// For each entry of an export (kExportFormat), in order, why the database cannot take it: its kernel does not
// compute the shape, or not with these values on a device of the export's own limits; a value that only files
// written by hand may give; a key that is missing or wrong. Errors: usage, naming the key, for the file as a
// whole: no export, limits that are not whole, a family of devices that is not in the table of names.
Result<std::vector<Status>> check_export(std::string_view text);

}  // namespace upres::tune
