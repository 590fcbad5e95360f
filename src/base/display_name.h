// Names that come from outside (files, tensors, nodes) and texts of other libraries, made safe for messages
// and listings: always one line of valid UTF-8, whatever the locale.
#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace upres {

// Of names inside files, which may be of any length.
inline constexpr size_t kDisplayNameBytes = 80;
inline constexpr size_t kWholeName = static_cast<size_t>(-1);

// `name` with control characters (C0 and C1) as "\n", "\r", "\t" or "\xNN", backslashes doubled, so that no
// escape can be forged, bytes that are not well-formed UTF-8 as "\xNN", and "..." after max_bytes of result.
// For people only: it does not identify anything.
std::string display_name(std::string_view name, size_t max_bytes = kDisplayNameBytes);

// The name of a file, whole. (A template, so that strings are taken for names of the other kind.)
template <std::same_as<std::filesystem::path> Path>
std::string display_name(const Path& path) {
  return display_name(std::string_view(path.native()), kWholeName);
}

// A text that may hold display names: as above, but whole and with backslashes as they are.
std::string one_line(std::string_view text);

}  // namespace upres
