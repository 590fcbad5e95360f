#include "plan/tiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/resampled_window.h"

namespace upres::plan {
namespace {

// More tiles than this are a mistake, not a picture.
constexpr int64_t kMaxTiles = 1 << 22;

// One axis of the problem.
struct Axis {
  int64_t input = 0;   // of the picture
  int64_t output = 0;  // of its result
  int64_t before = 0;  // halo
  int64_t after = 0;
  int64_t edge = 0;  // the largest window wanted
};

// One axis of a tile.
struct Span {
  int64_t input = 0;   // begin of the window
  int64_t output = 0;  // begin of what it computes
  int64_t keep = 0;    // begin of what is kept of that
  int64_t keep_size = 0;
};

struct AxisGrid {
  int64_t input_window = 0;
  int64_t output_window = 0;
  std::vector<Span> spans;
};

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Kernels may compute blocks of 2x2 pixels, in which a pixel's place decides how it is rounded: every window
// begins at an even pixel, and those moved to the picture's end do so if they miss an even number of pixels.
int64_t floor_even(int64_t value) { return value & ~int64_t{1}; }
int64_t even_rest(int64_t input, int64_t window) { return window - (input - window) % 2; }

// From the begin of one window to the next.
int64_t step_of(int64_t window, int64_t halo) { return floor_even(window - halo); }

// The smallest window of which `count` cover the picture: no tile is computed mostly twice.
int64_t smallest_window(int64_t input, int64_t halo, int64_t count) {
  int64_t window = ceil_div(input + (count - 1) * halo, count);
  window += (input - window) % 2;
  while ((count - 1) * step_of(window, halo) + window < input) window += 2;
  return window;
}

// The result is factor times the input: a window computes factor times itself, of which the halo's part is
// dropped except at the picture's own edges. Windows overlap by the whole halo.
AxisGrid cut_scaled(const Axis& axis, int64_t factor) {
  const int64_t halo = axis.before + axis.after;
  const bool is_whole = axis.edge >= axis.input;
  const int64_t largest = is_whole ? axis.input : even_rest(axis.input, axis.edge);
  const int64_t count = is_whole ? 1 : 1 + ceil_div(axis.input - largest, step_of(largest, halo));
  if (count > kMaxTiles) return {};
  const int64_t window = smallest_window(axis.input, halo, count);
  AxisGrid grid{window, factor * window, {}};
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = std::min(i * step_of(window, halo), axis.input - window);
    const int64_t end = i == count - 1 ? axis.input : begin + window - axis.after;
    grid.spans.push_back({begin, factor * begin, factor * kept, factor * (end - kept)});
    kept = end;
  }
  return grid;
}

// The input window for a window of the result, with room for an even begin.
int64_t even_input_window(const Axis& axis, int64_t out_window) {
  const int64_t halo = axis.before + axis.after;
  const int64_t needed = input_of_resampled_window(out_window, axis.input, axis.output, halo);
  const int64_t roomy = std::min(axis.input, needed + 1);
  return roomy + (axis.input - roomy) % 2;
}

// The result is resampled: output windows of one size lie side by side (the last one moved inwards), and
// everything that any of their pixels needs lies in the input window.
AxisGrid cut_resampled(const Axis& axis) {
  const int64_t halo = axis.before + axis.after;
  const int64_t usable = axis.edge >= axis.input ? axis.input : axis.edge - kEvenRoom_px;
  const int64_t count = ceil_div(axis.output, resampled_window(usable, axis.input, axis.output, halo));
  if (count > kMaxTiles) return {};
  const int64_t out_window = ceil_div(axis.output, count);
  const int64_t in_window = even_input_window(axis, out_window);
  AxisGrid grid{in_window, out_window, {}};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t keep = i * out_window;
    const int64_t output = std::min(keep, axis.output - out_window);
    const int64_t first = source_pixel(output, axis.input, axis.output) - axis.before;
    const int64_t input = floor_even(std::clamp(first, int64_t{0}, axis.input - in_window));
    grid.spans.push_back({input, output, keep, std::min(out_window, axis.output - keep)});
  }
  // Rounding up the window may have left the last ones without anything to keep.
  std::erase_if(grid.spans, [](const Span& span) { return span.keep_size <= 0; });
  return grid;
}

Status check_axis(const Axis& axis) {
  if (axis.input < 1 || axis.output < 1) {
    return fail(ErrorCode::usage,
                fmt::format("cannot cut {} pixels that become {} into tiles", axis.input, axis.output));
  }
  const int64_t halo = axis.before + axis.after;
  if (axis.edge < axis.input && axis.edge <= halo + kEvenRoom_px) {
    return fail(
        ErrorCode::usage,
        fmt::format(
            "tile size {} is too small: this network needs an overlap of {} + {} pixels, so at least {}",
            axis.edge, axis.before, axis.after, halo + kEvenRoom_px + 1));
  }
  return {};
}

Tile join(const Span& x, const Span& y) {
  const auto at = [](int64_t a, int64_t b) { return Origin{static_cast<int>(a), static_cast<int>(b)}; };
  return {at(x.input, y.input),
          at(x.output, y.output),
          at(x.keep, y.keep),
          {static_cast<int>(x.keep_size), static_cast<int>(y.keep_size)}};
}

TileGrid join(const AxisGrid& x, const AxisGrid& y) {
  TileGrid grid{{static_cast<int>(x.input_window), static_cast<int>(y.input_window)},
                {static_cast<int>(x.output_window), static_cast<int>(y.output_window)},
                {}};
  grid.tiles.reserve(x.spans.size() * y.spans.size());
  for (const Span& row : y.spans) {
    for (const Span& column : x.spans) grid.tiles.push_back(join(column, row));
  }
  return grid;
}

}  // namespace

Result<TileGrid> make_tiles(const Extent& input, const Extent& output, const graph::Halo& halo, int factor,
                            int edge_px) {
  const Axis x{input.width_px, output.width_px, halo.left_px, halo.right_px, edge_px};
  const Axis y{input.height_px, output.height_px, halo.top_px, halo.bottom_px, edge_px};
  for (const Axis& axis : {x, y}) {
    if (auto status = check_axis(axis); !status) return propagate(status);
  }
  const bool scaled = x.output == factor * x.input && y.output == factor * y.input;
  const AxisGrid columns = scaled ? cut_scaled(x, factor) : cut_resampled(x);
  const AxisGrid rows = scaled ? cut_scaled(y, factor) : cut_resampled(y);
  const auto count = static_cast<int64_t>(columns.spans.size() * rows.spans.size());
  if (count < 1 || count > kMaxTiles) {
    return fail(ErrorCode::usage,
                fmt::format("tile size {} is too small: {}x{} pixels would need over {} tiles", edge_px,
                            input.width_px, input.height_px, kMaxTiles));
  }
  return join(columns, rows);
}

}  // namespace upres::plan
