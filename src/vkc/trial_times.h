// Times of repeated measurements. No device needed.
#pragma once

#include <cstdint>
#include <span>

namespace vkc::detail {

// The middle of the values, of an even number the mean of the two in the middle. At least one value.
double median(std::span<const double> values);

// How often work that took once_ms must be repeated to take about measurement_ms: 1 to a sensible most, also
// for times of 0 and below.
std::uint32_t repetitions(double once_ms, double measurement_ms);

}  // namespace vkc::detail
