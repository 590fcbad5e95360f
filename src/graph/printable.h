// Names that come from files, made safe for messages and listings.
#pragma once

#include <string>
#include <string_view>

namespace upres::graph {

inline constexpr size_t kPrintableNameBytes = 80;

// `name` on one line: control characters, backslashes and bytes that are not well-formed UTF-8 as \xNN, and
// "..." after max_bytes of result.
std::string printable(std::string_view name, size_t max_bytes = kPrintableNameBytes);

}  // namespace upres::graph
