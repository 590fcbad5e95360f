// A band whose padding reaches beyond the kernel, which oneDNN's fast kernels refuse: copied into a larger
// one with its zeros written out.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "session/cpu/convolution.h"

namespace upres::session::cpu {

class PaddedBand {
 public:
  static bool needed(const ConvBand& band, const graph::Conv& conv);
  // The band with its padding as pixels.
  static ConvBand grown(ConvBand band);

  // `in` is the band's. Throws std::bad_alloc.
  PaddedBand(const ConvBand& band, size_t pixel_bytes, const std::byte* in);

  [[nodiscard]] const ConvBand& band() const { return band_; }
  [[nodiscard]] const std::byte* in() const { return bytes_.data(); }

 private:
  ConvBand band_;
  std::vector<std::byte> bytes_;
};

}  // namespace upres::session::cpu
