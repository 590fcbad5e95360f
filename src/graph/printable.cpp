#include "graph/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace upres::graph {
namespace {

uint8_t byte_at(std::string_view text, size_t index) { return static_cast<uint8_t>(text[index]); }

// Length of the sequence that a lead byte announces; 0 for bytes that cannot lead (RFC 3629).
size_t sequence_bytes(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

// Whether the second byte keeps the sequence out of the overlong forms, the surrogates and what lies above
// U+10FFFF.
bool second_byte_fits(uint8_t lead, uint8_t second) {
  if (lead == 0xc2) return second >= 0xa0;  // U+0080..U+009F are control characters, which terminals obey
  if (lead == 0xe0) return second >= 0xa0;
  if (lead == 0xed) return second <= 0x9f;
  if (lead == 0xf0) return second >= 0x90;
  if (lead == 0xf4) return second <= 0x8f;
  return true;
}

// Bytes of the printable character at the start of `text`; 0 when there is none.
size_t printable_bytes(std::string_view text) {
  const uint8_t lead = byte_at(text, 0);
  const size_t length = sequence_bytes(lead);
  if (length == 0 || length > text.size()) return 0;
  if (length == 1) return lead >= 0x20 && lead != 0x7f && lead != '\\' ? 1 : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  }
  return second_byte_fits(lead, byte_at(text, 1)) ? length : 0;
}

}  // namespace

std::string printable(std::string_view name, size_t max_bytes) {
  std::string result;
  while (!name.empty()) {
    const size_t length = printable_bytes(name);
    const std::string piece =
        length > 0 ? std::string(name.substr(0, length)) : fmt::format("\\x{:02x}", byte_at(name, 0));
    if (result.size() + piece.size() > max_bytes) return result + "...";
    result += piece;
    name.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

}  // namespace upres::graph
