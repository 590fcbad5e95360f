#include "session/cpu/narrow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "session/cpu/bfloat16.h"
#include "session/cpu/narrow_kernels.h"
#include "session/cpu/onednn.h"
#include "session/cpu/pixels.h"
#include "session/cpu/row_buffer.h"

namespace upres::session::cpu {
namespace {

// With fewer inputs there is not enough to compute for each transposed pixel.
constexpr int kMinInputs = 8;
// Words are transposed in fours.
constexpr int kWordMultiple = 4;

class NarrowConvolution final : public Convolution {
 public:
  NarrowConvolution(const graph::Conv& conv, bool bf16)
      : conv_(conv), bf16_(bf16), words_(bf16 ? conv.in_channels / 2 : conv.in_channels) {
    weights_ = packed_weights();
  }

  Status prepare(int workers) override {
    if (scratch_.size() < static_cast<size_t>(workers)) scratch_.resize(static_cast<size_t>(workers));
    return {};
  }

  // All workers' memory is made here, where running out of it can be said.
  Status make_ready(const ConvBand& band) override {
    const size_t planes_words = static_cast<size_t>(band.in_rows) * row_words(band);
    const size_t out_elems = static_cast<size_t>(conv_.out_channels) * out_stride_elems(band);
    for (Scratch& scratch : scratch_) {
      grow(scratch.planes, (planes_words + kNarrowSlack_words) * sizeof(uint32_t));
      grow(scratch.out, out_elems * sizeof(float));
    }
    return {};
  }

  Status run(int worker, const ConvBand& band, const TilePhase&, const std::byte* in,
             std::byte* out) override {
    const Scratch& scratch = scratch_[static_cast<size_t>(worker)];
    auto* planes = reinterpret_cast<uint32_t*>(scratch.planes.data());
    transpose(band, in, planes);
    const size_t row_elems = static_cast<size_t>(band.out_width_px) * static_cast<size_t>(conv_.out_channels);
    for (int y = 0; y < band.out_rows; ++y) {
      compute_row(band, y, planes, reinterpret_cast<float*>(scratch.out.data()));
      interleave(band, reinterpret_cast<const float*>(scratch.out.data()),
                 reinterpret_cast<float*>(out) + static_cast<size_t>(y) * row_elems);
    }
    return {};
  }

  [[nodiscard]] std::string implementation() const override {
    return std::string("narrow, ") + (bf16_ ? "avx512_bf16" : pixel_isa());
  }

 private:
  struct Scratch {
    AlignedMemory planes;  // [row][word][plane_stride]: padding, pixels, padding
    AlignedMemory out;     // [channel][out_stride]: one row
  };

  static void grow(AlignedMemory& memory, size_t bytes) {
    if (memory.size_bytes() >= bytes) return;
    memory = {};
    memory = AlignedMemory(bytes);
    // What lies behind rows is computed with, and the result not looked at.
    std::memset(memory.data(), 0, bytes);
  }

  // [kernel y][word][kernel x][output]
  [[nodiscard]] std::vector<uint32_t> packed_weights() const {
    const auto taps_x = static_cast<size_t>(conv_.kernel_width);
    const auto taps_y = static_cast<size_t>(conv_.kernel_height);
    const auto in = static_cast<size_t>(conv_.in_channels);
    const auto weight = [&](size_t o, size_t i, size_t ky, size_t kx) {
      return (*conv_.weights)[((o * in + i) * taps_y + ky) * taps_x + kx];
    };
    std::vector<uint32_t> packed;
    for (size_t ky = 0; ky < taps_y; ++ky) {
      for (size_t word = 0; word < static_cast<size_t>(words_); ++word) {
        for (size_t kx = 0; kx < taps_x; ++kx) {
          for (size_t o = 0; o < static_cast<size_t>(conv_.out_channels); ++o) {
            if (bf16_) {
              const uint32_t low = bfloat16_bits(weight(o, 2 * word, ky, kx));
              const uint32_t high = bfloat16_bits(weight(o, 2 * word + 1, ky, kx));
              packed.push_back(low | high << 16U);
            } else {
              packed.push_back(std::bit_cast<uint32_t>(weight(o, word, ky, kx)));
            }
          }
        }
      }
    }
    return packed;
  }

  [[nodiscard]] static size_t plane_stride_words(const ConvBand& band) {
    const auto width = static_cast<size_t>(band.padding.left + band.in_width_px + band.padding.right);
    return width + kNarrowSlack_words;
  }
  [[nodiscard]] size_t row_words(const ConvBand& band) const {
    return plane_stride_words(band) * static_cast<size_t>(words_);
  }
  [[nodiscard]] static size_t out_stride_elems(const ConvBand& band) {
    return static_cast<size_t>(band.out_width_px) + kNarrowSlack_words;
  }

  void transpose(const ConvBand& band, const std::byte* in, uint32_t* planes) const {
    const auto left = static_cast<size_t>(band.padding.left);
    const auto width = static_cast<size_t>(band.in_width_px);
    const size_t stride = plane_stride_words(band);
    const auto* pixels = reinterpret_cast<const uint32_t*>(in);
    for (int y = 0; y < band.in_rows; ++y) {
      uint32_t* row = planes + static_cast<size_t>(y) * row_words(band);
      for (size_t word = 0; word < static_cast<size_t>(words_); ++word) {
        uint32_t* plane = row + word * stride;
        std::fill_n(plane, left, 0U);
        std::fill(plane + left + width, plane + stride, 0U);
      }
      transpose_words(pixels, band.in_width_px, words_, stride, row + left);
      pixels += width * static_cast<size_t>(words_);
    }
  }

  void compute_row(const ConvBand& band, int y, const uint32_t* planes, float* out) const {
    std::vector<const uint32_t*> rows(static_cast<size_t>(conv_.kernel_height), nullptr);
    for (int ky = 0; ky < conv_.kernel_height; ++ky) {
      const int in_row = y + ky - band.padding.top;
      if (in_row < 0 || in_row >= band.in_rows) continue;
      rows[static_cast<size_t>(ky)] = planes + static_cast<size_t>(in_row) * row_words(band);
    }
    const NarrowRow row = {.planes = rows,
                           .plane_stride_words = plane_stride_words(band),
                           .words = words_,
                           .kernel_width = conv_.kernel_width,
                           .width_px = band.out_width_px,
                           .weights = weights_.data(),
                           .biases = conv_.biases->data(),
                           .outputs = conv_.out_channels,
                           .apply_relu = conv_.apply_relu};
    if (bf16_) {
      narrow_row_bf16(row, out_stride_elems(band), out);
    } else {
      narrow_row(row, out_stride_elems(band), out);
    }
  }

  void interleave(const ConvBand& band, const float* planes, float* out) const {
    const auto channels = static_cast<size_t>(conv_.out_channels);
    const size_t stride = out_stride_elems(band);
    for (size_t x = 0; x < static_cast<size_t>(band.out_width_px); ++x) {
      for (size_t c = 0; c < channels; ++c) out[x * channels + c] = planes[c * stride + x];
    }
  }

  const graph::Conv conv_;  // shares the weights
  const bool bf16_;
  const int words_;  // of a pixel of the input
  std::vector<uint32_t> weights_;
  std::vector<Scratch> scratch_;  // [worker]
};

}  // namespace

bool narrow_suits(const graph::Conv& conv, bool bf16) {
  if (bf16 && onednn_has_amx()) return false;
  const int multiple = bf16 ? 2 * kWordMultiple : kWordMultiple;
  return conv.out_channels <= kNarrowOutputs && conv.in_channels >= kMinInputs &&
         conv.in_channels % multiple == 0;
}

std::unique_ptr<Convolution> make_narrow_convolution(const graph::Conv& conv, bool bf16) {
  return std::make_unique<NarrowConvolution>(conv, bf16);
}

}  // namespace upres::session::cpu
