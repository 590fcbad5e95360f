#include "base/display_name.h"

#include <cstdint>

namespace upres {
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
  if (c == '\\') return "\\\\";
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

enum class Backslash { doubled, kept };

std::string printable(std::string_view text, size_t max_bytes, Backslash backslash) {
  std::string result;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    const bool is_plain =
        length > 0 && !is_control(sequence) && (sequence[0] != '\\' || backslash == Backslash::kept);
    std::string piece;
    if (is_plain) {
      piece = sequence;
    } else {
      for (const char c : sequence) piece += escaped(c);
    }
    if (piece.size() > max_bytes - result.size()) return result + "...";
    result += piece;
    text.remove_prefix(sequence.size());
  }
  return result;
}

}  // namespace

std::string display_name(std::string_view name, size_t max_bytes) {
  return printable(name, max_bytes, Backslash::doubled);
}

std::string one_line(std::string_view text) { return printable(text, kWholeName, Backslash::kept); }

}  // namespace upres
