#include "session/cpu/padded_band.h"

#include <cstring>

namespace upres::session::cpu {

bool PaddedBand::needed(const ConvBand& band, const graph::Conv& conv) {
  const graph::Padding& pad = band.padding;
  return band.in_rows == 0 || pad.top >= conv.kernel_height || pad.bottom >= conv.kernel_height ||
         pad.left >= conv.kernel_width || pad.right >= conv.kernel_width;
}

ConvBand PaddedBand::grown(ConvBand band) {
  band.in_rows += band.padding.top + band.padding.bottom;
  band.in_width_px += band.padding.left + band.padding.right;
  band.padding = {};
  return band;
}

PaddedBand::PaddedBand(const ConvBand& band, size_t pixel_bytes, const std::byte* in) : band_(grown(band)) {
  const graph::Padding& pad = band.padding;
  const size_t row_bytes = static_cast<size_t>(band_.in_width_px) * pixel_bytes;
  const size_t in_row_bytes = static_cast<size_t>(band.in_width_px) * pixel_bytes;
  bytes_.resize(static_cast<size_t>(band_.in_rows) * row_bytes);
  for (int y = 0; y < band.in_rows; ++y) {
    std::byte* row = bytes_.data() + static_cast<size_t>(y + pad.top) * row_bytes;
    std::memcpy(row + static_cast<size_t>(pad.left) * pixel_bytes, in + static_cast<size_t>(y) * in_row_bytes,
                in_row_bytes);
  }
}

}  // namespace upres::session::cpu
