// File names as text for messages.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace upres::image {

// The name as one line of valid UTF-8: control characters become "\n", "\t" or "\xNN", and so do bytes that
// are not UTF-8, whatever the locale. Printable names come back unchanged. For people only: it does not
// identify the file.
std::string display_name(const std::filesystem::path& path);
std::string display_name(std::string_view bytes);

}  // namespace upres::image
