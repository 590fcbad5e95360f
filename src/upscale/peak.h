// How fast a GPU multiplies and adds at most, measured: what the speed of a network is a share of.
#pragma once

#include <vkc/device.h>

#include <optional>
#include <string>
#include <vector>

#include "kernels/device_info.h"
#include "upscale/precision.h"

namespace upres::upscale {

// A multiply and an add count as two. Absent: the device cannot do it, or has no timestamps.
struct Peaks {
  std::optional<double> fp32_gflops;       // fused multiply-adds in fp32
  std::optional<double> fp16_gflops;       // in fp16
  std::optional<double> matrix_gflops;     // 16x16x16 on cooperative matrices: fp16, sums in fp32
  std::vector<std::string> failures = {};  // what should have been measured and was not, with the reason
};

// Runs shaders/bench/peak_*.slang, whose operands stay in registers, for about half a second each, in submits
// of a few dozen milliseconds at most, and takes the fastest of each.
Peaks measure_peaks(const vkc::Device& device, const kernels::DeviceInfo& info);

// The highest of those that a network in this precision may use: all in fp16, where sums are fp32. Absent:
// not measured, or not measured by this (bf16).
std::optional<double> peak_gflops(const Peaks& peaks, Precision precision);

}  // namespace upres::upscale
