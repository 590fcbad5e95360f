#include "vkc/trial_times.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vkc::detail {
namespace {

constexpr double kMostRepetitions = 200;

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::uint32_t repetitions(double once_ms, double measurement_ms) {
  if (!(measurement_ms > 0)) return 1;
  if (!(once_ms * kMostRepetitions > measurement_ms)) return static_cast<std::uint32_t>(kMostRepetitions);
  return static_cast<std::uint32_t>(std::clamp(std::ceil(measurement_ms / once_ms), 1.0, kMostRepetitions));
}

}  // namespace vkc::detail
