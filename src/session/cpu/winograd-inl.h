// Body of the Winograd transforms (winograd_transforms.h), for one kind of vector. No include guard: included
// inside a namespace whose functions are compiled for one instruction set, once for each.
//
// A vector type V has: Value, kLanes, zero(), load(const float*), add, sub, relu (NaN stays NaN),
// store(Value, Out*). One "vector" may be several of the processor's.

template <typename V>
struct WinogradColumn {
  // B' applied to four pixels above each other.
  typename V::Value t0, t1, t2, t3;
};

template <typename V>
HWY_INLINE typename V::Value winograd_pixel(const float* row, bool inside, size_t offset) {
  return inside && row != nullptr ? V::load(row + offset) : V::zero();
}

template <typename V>
HWY_INLINE WinogradColumn<V> winograd_column(const TileRun& run, int column, size_t channel) {
  using Value = typename V::Value;
  const bool inside = column >= 0 && column < run.width_px;
  const size_t offset =
      static_cast<size_t>(inside ? column : 0) * static_cast<size_t>(run.channels) + channel;
  const Value d0 = winograd_pixel<V>(run.rows[0], inside, offset);
  const Value d1 = winograd_pixel<V>(run.rows[1], inside, offset);
  const Value d2 = winograd_pixel<V>(run.rows[2], inside, offset);
  const Value d3 = winograd_pixel<V>(run.rows[3], inside, offset);
  return {V::sub(d0, d2), V::add(d1, d2), V::sub(d2, d1), V::sub(d1, d3)};
}

// (a, b, c, d) B for one row of the tile.
template <typename V, typename Out>
HWY_INLINE void winograd_store_row(typename V::Value a, typename V::Value b, typename V::Value c,
                                   typename V::Value d, size_t stride, Out* out) {
  V::store(V::sub(a, c), out);
  V::store(V::add(b, c), out + stride);
  V::store(V::sub(c, b), out + 2 * stride);
  V::store(V::sub(b, d), out + 3 * stride);
}

// Asks for the pixels of a column that will be read soon, all channels: they lie in rows too far apart for
// the processor to guess.
HWY_INLINE void winograd_prefetch(const TileRun& run, int column) {
  if (column < 0 || column >= run.width_px) return;
  constexpr size_t kLine_elems = 64 / sizeof(float);
  const auto channels = static_cast<size_t>(run.channels);
  for (const float* row : run.rows) {
    if (row == nullptr) continue;
    const float* pixel = row + static_cast<size_t>(column) * channels;
    for (size_t channel = 0; channel < channels; channel += kLine_elems) hwy::Prefetch(pixel + channel);
  }
}

template <typename V, typename Out>
void winograd_transform_input(const TileRun& run, size_t stride, Out* out) {
  const auto channels = static_cast<size_t>(run.channels);
  for (size_t channel = 0; channel < channels; channel += V::kLanes) {
    WinogradColumn<V> a = winograd_column<V>(run, run.first_column, channel);
    WinogradColumn<V> b = winograd_column<V>(run, run.first_column + 1, channel);
    for (int tile = 0; tile < run.count; ++tile) {
      const int column = run.first_column + tile * kWinogradTile;
      if (channel == 0) {
        winograd_prefetch(run, column + kWinogradAhead);
        winograd_prefetch(run, column + kWinogradAhead + 1);
      }
      const WinogradColumn<V> c = winograd_column<V>(run, column + 2, channel);
      const WinogradColumn<V> d = winograd_column<V>(run, column + 3, channel);
      Out* to = out + static_cast<size_t>(tile) * channels + channel;
      winograd_store_row<V>(a.t0, b.t0, c.t0, d.t0, stride, to);
      winograd_store_row<V>(a.t1, b.t1, c.t1, d.t1, stride, to + 4 * stride);
      winograd_store_row<V>(a.t2, b.t2, c.t2, d.t2, stride, to + 8 * stride);
      winograd_store_row<V>(a.t3, b.t3, c.t3, d.t3, stride, to + 12 * stride);
      a = c;
      b = d;
    }
  }
}

template <typename V, typename Out>
HWY_INLINE void winograd_store_pixel(const TileTarget& target, int row, int column, size_t channel,
                                     typename V::Value sum) {
  std::byte* pixels = target.rows[static_cast<size_t>(row)];
  if (pixels == nullptr || column < 0 || column >= target.width_px) return;
  const typename V::Value biased = V::add(sum, V::load(target.biases + channel));
  const size_t offset = static_cast<size_t>(column) * static_cast<size_t>(target.channels) + channel;
  V::store(target.apply_relu ? V::relu(biased) : biased, reinterpret_cast<Out*>(pixels) + offset);
}

template <typename V, typename Out>
void winograd_transform_output(const TileTarget& target, size_t stride, const float* in) {
  using Value = typename V::Value;
  const auto channels = static_cast<size_t>(target.channels);
  for (int tile = 0; tile < target.count; ++tile) {
    const int column = target.first_column + tile * kWinogradTile;
    for (size_t channel = 0; channel < channels; channel += V::kLanes) {
      const float* from = in + static_cast<size_t>(tile) * channels + channel;
      Value upper[kWinogradPatch];
      Value lower[kWinogradPatch];
      for (size_t j = 0; j < kWinogradPatch; ++j) {
        const Value m0 = V::load(from + j * stride);
        const Value m1 = V::load(from + (4 + j) * stride);
        const Value m2 = V::load(from + (8 + j) * stride);
        const Value m3 = V::load(from + (12 + j) * stride);
        upper[j] = V::add(V::add(m0, m1), m2);
        lower[j] = V::sub(V::sub(m1, m2), m3);
      }
      winograd_store_pixel<V, Out>(target, 0, column, channel, V::add(V::add(upper[0], upper[1]), upper[2]));
      winograd_store_pixel<V, Out>(target, 0, column + 1, channel,
                                   V::sub(V::sub(upper[1], upper[2]), upper[3]));
      winograd_store_pixel<V, Out>(target, 1, column, channel, V::add(V::add(lower[0], lower[1]), lower[2]));
      winograd_store_pixel<V, Out>(target, 1, column + 1, channel,
                                   V::sub(V::sub(lower[1], lower[2]), lower[3]));
    }
  }
}
