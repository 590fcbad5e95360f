// What earlier searches of a task found out about its candidates on a device and driver: a later one goes on
// from there.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace upres::tune {

struct Known {
  std::map<std::string, double> time_ms;        // by to_text(Parameters)
  std::map<std::string, std::string> rejected;  // the reason, by to_text(Parameters)
};

// One line of JSON, {"time_ms": {...}, "rejected": {...}}. Of more than 4000 candidates the rest is left out.
std::string to_json(const Known& known);
// From a text that may be anything. Errors: device, naming the key that is missing or wrong.
Result<Known> known_from_json(std::string_view text);

}  // namespace upres::tune
