#include "image/xmp.h"

#include <string_view>

namespace upres::image {

void reset_xmp_orientation(std::span<std::byte> xmp) {
  const std::string_view text(reinterpret_cast<const char*>(xmp.data()), xmp.size());
  constexpr std::string_view kProperty = "tiff:Orientation";
  constexpr std::string_view kBeforeValue = " \t\r\n=\"'>";
  for (size_t at = text.find(kProperty); at != std::string_view::npos; at = text.find(kProperty, at + 1)) {
    const size_t value = text.find_first_not_of(kBeforeValue, at + kProperty.size());
    if (value == std::string_view::npos || value == at + kProperty.size()) continue;
    const bool is_single_digit = value + 1 < text.size() && (text[value + 1] < '0' || text[value + 1] > '9');
    if (text[value] >= '1' && text[value] <= '8' && is_single_digit) xmp[value] = std::byte{'1'};
  }
}

}  // namespace upres::image
