#include "image/display_name.h"

#include <cstdint>

namespace upres::image {
namespace {

// Length of the well-formed UTF-8 sequence at the beginning of `text` (Unicode 15, table 3-7), 0 if there is
// none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto is_tail = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xbf) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return is_tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const uint8_t low = lead == 0xe0 ? 0xa0 : 0x80;
    const uint8_t high = lead == 0xed ? 0x9f : 0xbf;
    return is_tail(1, low, high) && is_tail(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const uint8_t low = lead == 0xf0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xf4 ? 0x8f : 0xbf;
    return is_tail(1, low, high) && is_tail(2) && is_tail(3) ? 4 : 0;
  }
  return 0;
}

std::string escaped(char c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  return {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
}

// C0 and C1 controls, which could break the line or drive a terminal.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<uint8_t>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  return sequence.size() == 2 && first == 0xc2 && static_cast<uint8_t>(sequence[1]) < 0xa0;
}

}  // namespace

std::string display_name(std::string_view bytes) {
  std::string result;
  while (!bytes.empty()) {
    const size_t length = utf8_length(bytes);
    const std::string_view sequence = bytes.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(sequence)) {
      for (const char c : sequence) result += escaped(c);
    } else {
      result += sequence;
    }
    bytes.remove_prefix(sequence.size());
  }
  return result;
}

std::string display_name(const std::filesystem::path& path) {
  return display_name(std::string_view(path.native()));
}

}  // namespace upres::image
