// What the files that make kernel cases share. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "kernels/cases.h"

namespace upres::kernels {

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere, which <random>'s distributions do not
// promise.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  float uniform(float low, float high) {
    return low + (high - low) * (static_cast<float>(bits() >> 40U) / static_cast<float>(1U << 24U));
  }

 private:
  uint64_t state_;
};

inline constexpr std::string_view kConvReason =
    "a device without fused multiply-add rounds twice for each term: one part in 2^23 of a partial sum "
    "(about 1) each";
inline constexpr double kUlp = 1.0 / (1 << 23);
inline constexpr float kLargestInput = 1.25F;

inline std::string size_text(const Extent& extent) {
  return std::to_string(extent.width_px) + "x" + std::to_string(extent.height_px);
}

// Collects cases; the random data of each follows from its line.
class Cases {
 public:
  explicit Cases(uint64_t seed) : seed_(seed) {}

  // Begins a case; what follows fills it in.
  KernelCase& begin(const std::string& line, const Tolerance& tolerance) {
    cases_.push_back({.line = line,
                      .seed = hash_text(line, seed_),
                      .graph = {},
                      .extents = {},
                      .window = {},
                      .tolerance = tolerance});
    return cases_.back();
  }
  std::vector<KernelCase> take() { return std::move(cases_); }

 private:
  uint64_t seed_;
  std::vector<KernelCase> cases_;
};

inline TensorType planar(int channels) { return {DType::f32, Layout::planar, channels}; }
inline TensorType pixel_type(DType dtype, int channels) { return {dtype, Layout::interleaved, channels}; }

inline graph::ValueId add_input(KernelCase& test, const std::string& name, const TensorType& type,
                                const Extent& extent) {
  const graph::ValueId id = test.graph.add_value(name, type);
  test.graph.add_input(id);
  test.extents.push_back(extent);
  return id;
}
inline graph::ValueId add_output(KernelCase& test, const std::string& name, const TensorType& type) {
  const graph::ValueId id = test.graph.add_value(name, type);
  test.graph.add_output(id);
  return id;
}
inline void add_node(KernelCase& test, const graph::Operator& op, std::vector<graph::ValueId> inputs,
                     std::vector<graph::ValueId> outputs) {
  test.graph.add_node(
      {.name = "tested", .op = op, .inputs = std::move(inputs), .outputs = std::move(outputs), .origin = {}});
}

// Sizes at the edges of groups that compute `per_thread` samples a thread along x.
inline std::vector<Extent> awkward_sizes(const GroupSize& group, int per_thread) {
  const int x = static_cast<int>(group.x) * per_thread;
  const int y = static_cast<int>(group.y);
  std::vector<Extent> sizes = {{1, 1}, {1, 7}, {7, 1}, {13, 11}, {x, y}, {x + 1, y + 1}};
  if (x > 1 && y > 1) sizes.push_back({x - 1, y - 1});
  return sizes;
}

// Convolutions and pairs of them.
void add_convs(Cases& cases, const GroupSize& group);

}  // namespace upres::kernels
