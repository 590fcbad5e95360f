// Vectors as wide as the processor's, for rows of any length. No include guard: included inside a namespace
// whose functions are compiled for one instruction set, once for each, with hn the namespace of its
// operations.

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Float = hn::VFromD<Floats>;

constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);
static_assert(kMaxLanes <= kRowSlack_elems || HWY_HAVE_SCALABLE);

HWY_INLINE size_t lanes() { return hn::Lanes(Floats()); }
HWY_INLINE size_t elems(int width) { return static_cast<size_t>(width); }

// Calls f(x) for each whole vector and, for the rest, g(x, count).
template <typename Whole, typename Rest>
void for_vectors(size_t count, Whole whole, Rest rest) {
  const size_t n = lanes();
  size_t x = 0;
  for (; x + n <= count; x += n) whole(x);
  if (x < count) rest(x, count - x);
}

// Stores the first `count` lanes, at most a vector's.
HWY_INLINE void store_some(Float samples, size_t count, float* out) {
  if (count >= lanes()) {
    hn::StoreU(samples, Floats(), out);
    return;
  }
  HWY_ALIGN float part[kMaxLanes];
  hn::Store(samples, Floats(), part);
  std::memcpy(out, part, count * sizeof(float));
}
