// Comparing outputs of a kernel with those of the reference; see cases.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/cases.h"
#include "kernels/pixels/statistics.h"

namespace upres::kernels {

namespace {

// Compares samples of one output.
class Comparer {
 public:
  Comparer(const Tolerance& tolerance, const graph::Value& value) : tolerance_(tolerance), value_(value) {}

  void floats(double expected, double actual, size_t index) {
    if (std::isnan(expected) && std::isnan(actual)) return;
    if (expected == actual) return;  // infinities too
    const double difference = std::abs(expected - actual);
    check(difference <= tolerance_.absolute + tolerance_.relative * std::abs(expected), expected, actual,
          difference, index);
  }
  void levels(uint32_t expected, uint32_t actual, size_t index) {
    const double difference = std::abs(static_cast<double>(expected) - static_cast<double>(actual));
    check(difference <= tolerance_.levels, expected, actual, difference, index);
  }
  void equal(uint32_t expected, uint32_t actual, size_t index) {
    check(expected == actual, expected, actual,
          std::abs(static_cast<double>(expected) - static_cast<double>(actual)), index);
  }
  void statistics(const Tensor& expected, const Tensor& actual) {
    const auto words = [](const Tensor& tensor) {
      const auto all = tensor.as<uint32_t>();
      return StatisticsWords{all[0], all[1], all[2], all[3]};
    };
    const Statistics a = read_statistics(words(expected));
    const Statistics b = read_statistics(words(actual));
    equal(words(expected)[0], words(actual)[0], 0);
    equal(words(expected)[1], words(actual)[1], 1);
    floats(static_cast<double>(a.largest), static_cast<double>(b.largest), 2);
    floats(static_cast<double>(a.smallest), static_cast<double>(b.smallest), 3);
  }
  Comparison result() const { return comparison_; }

 private:
  void check(bool within, double expected, double actual, double difference, size_t index) {
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    comparison_.largest_difference = std::max(comparison_.largest_difference, difference);
    if (within || !comparison_.ok()) return;
    comparison_.mismatch = value_.name + "[" + std::to_string(index) + "] is " + std::to_string(actual) +
                           " instead of " + std::to_string(expected);
  }

  const Tolerance& tolerance_;
  const graph::Value& value_;
  Comparison comparison_;
};

Comparison compare_tensor(const Tolerance& tolerance, const graph::Value& value, const Tensor& expected,
                          const Tensor& actual) {
  if (expected.type != actual.type || expected.extent != actual.extent) {
    return {.largest_difference = std::numeric_limits<double>::infinity(),
            .mismatch = value.name + " has another type or extent"};
  }
  Comparer comparer(tolerance, value);
  switch (expected.type.dtype) {
    case DType::f32:
      for (size_t i = 0; i < expected.as<float>().size(); ++i) {
        comparer.floats(static_cast<double>(expected.as<float>()[i]),
                        static_cast<double>(actual.as<float>()[i]), i);
      }
      break;
    case DType::u8:
      for (size_t i = 0; i < expected.bytes.size(); ++i)
        comparer.levels(expected.as<uint8_t>()[i], actual.as<uint8_t>()[i], i);
      break;
    case DType::u16:
      for (size_t i = 0; i < expected.as<uint16_t>().size(); ++i) {
        comparer.levels(expected.as<uint16_t>()[i], actual.as<uint16_t>()[i], i);
      }
      break;
    default:
      comparer.statistics(expected, actual);
  }
  return comparer.result();
}

}  // namespace

Comparison compare_outputs(const KernelCase& test, std::span<const Tensor> expected,
                           std::span<const Tensor> actual) {
  if (expected.size() != actual.size())
    return {.largest_difference = 0, .mismatch = "another number of outputs"};
  Comparison total;
  for (size_t i = 0; i < expected.size(); ++i) {
    const graph::Value& value = test.graph.value(test.graph.outputs()[i]);
    const Comparison one = compare_tensor(test.tolerance, value, expected[i], actual[i]);
    total.largest_difference = std::max(total.largest_difference, one.largest_difference);
    if (total.ok()) total.mismatch = one.mismatch;
  }
  return total;
}

}  // namespace upres::kernels
