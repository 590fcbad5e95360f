// Body of the narrow convolutions (narrow_kernels.h), for one kind of vector. No include guard: included
// inside a namespace whose functions are compiled for one instruction set, once for each.
//
// A vector type V has: Sum (f32 lanes), Word, kRegisters, lanes(), set(float), load(const uint32_t*),
// broadcast(uint32_t), multiply_add(Sum, Word, Word), relu (NaN stays NaN), store(Sum, float*).

// kOutputs channels of kVectors vectors of pixels from x on.
template <typename V, int kOutputs, int kVectors>
HWY_INLINE void narrow_block(const NarrowRow& row, size_t x, size_t out_stride, float* out) {
  typename V::Sum sums[kOutputs][kVectors];
  UPRES_UNROLL
  for (int o = 0; o < kOutputs; ++o) {
    UPRES_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[o][v] = V::set(row.biases[o]);
  }
  const size_t lanes = V::lanes();
  const auto words = static_cast<size_t>(row.words);
  const auto kernel_width = static_cast<size_t>(row.kernel_width);
  for (size_t ky = 0; ky < row.planes.size(); ++ky) {
    if (row.planes[ky] == nullptr) continue;
    const uint32_t* weights = row.weights + ky * words * kernel_width * kOutputs;
    for (size_t word = 0; word < words; ++word) {
      const uint32_t* plane = row.planes[ky] + word * row.plane_stride_words + x;
      for (size_t kx = 0; kx < kernel_width; ++kx, weights += kOutputs) {
        typename V::Word pixels[kVectors];
        UPRES_UNROLL
        for (int v = 0; v < kVectors; ++v) pixels[v] = V::load(plane + kx + static_cast<size_t>(v) * lanes);
        UPRES_UNROLL
        for (int o = 0; o < kOutputs; ++o) {
          const typename V::Word weight = V::broadcast(weights[o]);
          UPRES_UNROLL
          for (int v = 0; v < kVectors; ++v) sums[o][v] = V::multiply_add(sums[o][v], pixels[v], weight);
        }
      }
    }
  }
  UPRES_UNROLL
  for (int o = 0; o < kOutputs; ++o) {
    float* to = out + static_cast<size_t>(o) * out_stride + x;
    UPRES_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      V::store(row.apply_relu ? V::relu(sums[o][v]) : sums[o][v], to + static_cast<size_t>(v) * lanes);
    }
  }
}

// As many vectors at once as there are registers for sums, the pixels and a weight; the last ones by
// themselves.
template <typename V, int kOutputs>
void narrow_outputs(const NarrowRow& row, size_t out_stride, float* out) {
  constexpr int kVectors = V::kRegisters > kOutputs + 5 ? (V::kRegisters - 5) / kOutputs : 1;
  const auto width = static_cast<size_t>(row.width_px);
  const size_t block = kVectors * V::lanes();
  size_t x = 0;
  for (; x + block <= width; x += block) narrow_block<V, kOutputs, kVectors>(row, x, out_stride, out);
  // What is left, when it is more than half a block, as a block that reaches beyond the end.
  if (x + block / 2 < width) {
    narrow_block<V, kOutputs, kVectors>(row, x, out_stride, out);
    return;
  }
  for (; x < width; x += V::lanes()) narrow_block<V, kOutputs, 1>(row, x, out_stride, out);
}

// kOutputs counts down to the number of the row's outputs.
template <typename V, int kOutputs = kNarrowOutputs>
void narrow_row_with(const NarrowRow& row, size_t out_stride, float* out) {
  if constexpr (kOutputs > 1) {
    if (row.outputs < kOutputs) {
      narrow_row_with<V, kOutputs - 1>(row, out_stride, out);
      return;
    }
  }
  narrow_outputs<V, kOutputs>(row, out_stride, out);
}
