#include "session/cpu/winograd.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "session/cpu/onednn.h"
#include "session/cpu/row_buffer.h"
#include "session/cpu/winograd_transforms.h"

namespace upres::session::cpu {
namespace {

constexpr int kKernel = 3;

// G g G' in double precision, laid out [product][in][out].
std::vector<float> transformed_weights(const graph::Conv& conv) {
  constexpr std::array<std::array<double, 3>, 4> kG = {
      {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}};
  const auto in = static_cast<size_t>(conv.in_channels);
  const auto out = static_cast<size_t>(conv.out_channels);
  std::vector<float> result(kWinogradProducts * in * out);
  for (size_t o = 0; o < out; ++o) {
    for (size_t i = 0; i < in; ++i) {
      const float* g = conv.weights->data() + (o * in + i) * kKernel * kKernel;
      for (size_t product = 0; product < kWinogradProducts; ++product) {
        double sum = 0;
        for (size_t y = 0; y < kKernel; ++y) {
          for (size_t x = 0; x < kKernel; ++x)
            sum += kG[product / 4][y] * kG[product % 4][x] * double{g[y * 3 + x]};
        }
        result[(product * in + i) * out + o] = static_cast<float>(sum);
      }
    }
  }
  return result;
}

// The tiles of a band: which rows and columns they begin at, relative to the band's output.
struct TileGrid {
  int first_row = 0;  // 0, or -1 where the band begins at an odd row of the whole
  int first_column = 0;
  int rows = 0;
  int columns = 0;

  TileGrid(const ConvBand& band, const TilePhase& phase)
      : first_row(-phase.y),
        first_column(-phase.x),
        rows((band.out_rows + phase.y + 1) / kWinogradTile),
        columns((band.out_width_px + phase.x + 1) / kWinogradTile) {}
};

// So many that weights, transformed inputs and products stay in a core's second-level cache.
int tiles_at_once(const graph::Conv& conv, bool bf16) {
  constexpr size_t kCache_bytes = 1000U << 10;
  const auto in = static_cast<size_t>(conv.in_channels) * (bf16 ? sizeof(uint16_t) : sizeof(float));
  const auto out = static_cast<size_t>(conv.out_channels);
  int count = BatchedProduct::kRowCounts.front();
  for (const int rows : BatchedProduct::kRowCounts) {
    const size_t tile_bytes = in + out * sizeof(float);
    if (kWinogradProducts * (in * out + static_cast<size_t>(rows) * tile_bytes) <= kCache_bytes) count = rows;
  }
  return count;
}

class WinogradConvolution final : public Convolution {
 public:
  WinogradConvolution(const graph::Conv& conv, bool bf16, Element out,
                      std::unique_ptr<BatchedProduct> product)
      : conv_(conv),
        bf16_(bf16),
        out_(out),
        max_tiles_(tiles_at_once(conv, bf16)),
        product_(std::move(product)) {}

  Status prepare(int workers) override {
    while (scratch_.size() < static_cast<size_t>(workers)) {
      const size_t inputs = kWinogradProducts * static_cast<size_t>(max_tiles_ * conv_.in_channels);
      const size_t outputs = kWinogradProducts * static_cast<size_t>(max_tiles_ * conv_.out_channels);
      scratch_.push_back(
          {AlignedMemory(inputs * size_bytes(product_input())), AlignedMemory(outputs * sizeof(float))});
      // Rows of a product that hold no tile are computed and not looked at.
      std::fill_n(scratch_.back().inputs.data(), scratch_.back().inputs.size_bytes(), std::byte{0});
    }
    return product_->prepare(workers);
  }

  Status make_ready(const ConvBand&) override { return {}; }

  Status run(int worker, const ConvBand& band, const TilePhase& phase, const std::byte* in,
             std::byte* out) override {
    const TileGrid grid(band, phase);
    const int tiles = grid.rows * grid.columns;
    for (int begin = 0; begin < tiles; begin += max_tiles_) {
      const int count = std::min(max_tiles_, tiles - begin);
      if (auto status = run_tiles(worker, {band, grid, in, out}, begin, count); !status) return status;
    }
    return {};
  }

  [[nodiscard]] std::string implementation() const override {
    return "winograd_2x2, " + product_->implementation();
  }
  [[nodiscard]] int row_multiple() const override { return kWinogradTile; }

 private:
  static constexpr int kBlockColumns = 32;

  struct Scratch {
    AlignedMemory inputs;
    AlignedMemory outputs;
  };

  struct BandMemory {
    const ConvBand& band;
    const TileGrid& grid;
    const std::byte* in;
    std::byte* out;
  };

  [[nodiscard]] Element product_input() const { return bf16_ ? Element::bf16 : Element::f32; }

  // Tiles [begin, begin + count) of the grid, in reading order: transformed, multiplied, transformed back.
  Status run_tiles(int worker, const BandMemory& memory, int begin, int count) {
    Scratch& scratch = scratch_[static_cast<size_t>(worker)];
    const int rows = *std::ranges::lower_bound(BatchedProduct::kRowCounts, count);
    const auto in_stride = static_cast<size_t>(rows * conv_.in_channels);
    const auto out_stride = static_cast<size_t>(rows * conv_.out_channels);
    auto* products = reinterpret_cast<float*>(scratch.outputs.data());
    for_runs(memory.grid, begin, count, [&](int row, int column, int tile, int tiles) {
      const auto first = static_cast<size_t>(tile * conv_.in_channels);
      const TileRun run = input_run(memory, row, column, tiles);
      if (bf16_) {
        transform_input_bf16(run, in_stride, reinterpret_cast<uint16_t*>(scratch.inputs.data()) + first);
      } else {
        transform_input(run, in_stride, reinterpret_cast<float*>(scratch.inputs.data()) + first);
      }
    });
    if (auto status = product_->run(worker, rows, scratch.inputs.data(), products); !status) return status;
    for_runs(memory.grid, begin, count, [&](int row, int column, int tile, int tiles) {
      const float* first = products + static_cast<size_t>(tile * conv_.out_channels);
      const TileTarget target = output_run(memory, row, column, tiles);
      if (out_ == Element::bf16) {
        transform_output_bf16(target, out_stride, first);
      } else {
        transform_output(target, out_stride, first);
      }
    });
    return {};
  }

  // Tiles are numbered in blocks of a few columns, from top to bottom, so that the input rows that two rows
  // of tiles share are still in the cache. Cuts [begin, begin + count) into runs; f(row, column, first tile
  // since begin, tiles).
  template <typename F>
  static void for_runs(const TileGrid& grid, int begin, int count, F f) {
    const int block_tiles = kBlockColumns * grid.rows;
    for (int done = 0; done < count;) {
      const int block = (begin + done) / block_tiles;
      const int in_block = (begin + done) % block_tiles;
      const int first_column = block * kBlockColumns;
      const int columns = std::min(kBlockColumns, grid.columns - first_column);
      const int tiles = std::min(count - done, columns - in_block % columns);
      f(in_block / columns, first_column + in_block % columns, done, tiles);
      done += tiles;
    }
  }

  [[nodiscard]] TileRun input_run(const BandMemory& memory, int row, int column, int tiles) const {
    const ConvBand& band = memory.band;
    const int first_row = memory.grid.first_row + row * kWinogradTile - band.padding.top;
    const size_t row_elems = static_cast<size_t>(band.in_width_px) * static_cast<size_t>(conv_.in_channels);
    TileRun run;
    for (int r = 0; r < kWinogradPatch; ++r) {
      const int y = first_row + r;
      if (y < 0 || y >= band.in_rows) continue;
      run.rows[static_cast<size_t>(r)] =
          reinterpret_cast<const float*>(memory.in) + static_cast<size_t>(y) * row_elems;
    }
    run.width_px = band.in_width_px;
    run.channels = conv_.in_channels;
    run.first_column = memory.grid.first_column + column * kWinogradTile - band.padding.left;
    run.count = tiles;
    return run;
  }

  [[nodiscard]] TileTarget output_run(const BandMemory& memory, int row, int column, int tiles) const {
    const ConvBand& band = memory.band;
    const size_t row_bytes =
        static_cast<size_t>(band.out_width_px) * static_cast<size_t>(conv_.out_channels) * size_bytes(out_);
    TileTarget target;
    for (int r = 0; r < kWinogradTile; ++r) {
      const int y = memory.grid.first_row + row * kWinogradTile + r;
      if (y >= 0 && y < band.out_rows) {
        target.rows[static_cast<size_t>(r)] = memory.out + static_cast<size_t>(y) * row_bytes;
      }
    }
    target.width_px = band.out_width_px;
    target.channels = conv_.out_channels;
    target.first_column = memory.grid.first_column + column * kWinogradTile;
    target.count = tiles;
    target.biases = conv_.biases->data();
    target.apply_relu = conv_.apply_relu;
    return target;
  }

  const graph::Conv conv_;  // shares the weights
  const bool bf16_;
  const Element out_;
  const int max_tiles_;  // at once
  std::unique_ptr<BatchedProduct> product_;
  std::deque<Scratch> scratch_;  // [worker]
};

}  // namespace

bool winograd_suits(const graph::Conv& conv, bool bf16) {
  // AMX multiplies bf16 so fast that transforming costs more than it saves.
  if (bf16 && onednn_has_amx()) return false;
  const int multiple = bf16 ? 2 * kWinogradChannels : kWinogradChannels;
  return conv.kernel_height == kKernel && conv.kernel_width == kKernel && conv.in_channels % multiple == 0 &&
         conv.out_channels % multiple == 0;
}

Result<std::unique_ptr<Convolution>> make_winograd_convolution(const graph::Conv& conv, bool bf16,
                                                               Element out, std::string label) {
  auto product =
      BatchedProduct::create(kWinogradProducts, conv.in_channels, conv.out_channels,
                             transformed_weights(conv), bf16 ? Element::bf16 : Element::f32, label);
  if (!product) return propagate(product);
  return std::make_unique<WinogradConvolution>(conv, bf16, out, std::move(*product));
}

}  // namespace upres::session::cpu
