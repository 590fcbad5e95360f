// A small task and a device on which everything is legal.
#pragma once

#include <gtest/gtest.h>

#include "kernels/device_info.h"
#include "tune/runner.h"
#include "tune/task.h"

namespace upres::tune {

inline graph::Conv small_conv() {
  graph::Conv conv;
  conv.in_channels = 8;
  conv.out_channels = 8;
  conv.kernel_height = conv.kernel_width = 3;
  conv.padding = {1, 1, 1, 1};
  return conv;
}

inline Task small_task(std::string_view kernel = "conv_packed", DType dtype = DType::f32) {
  auto task = make_task(*kernels::find_kernel(kernel), small_conv(), {64, 48}, dtype);
  EXPECT_TRUE(task) << task.error().text();
  return std::move(*task);
}

inline kernels::DeviceInfo generous_device() {
  kernels::DeviceInfo info;
  info.name = "generous";
  info.limits.max_group_invocations = 4096;
  info.limits.max_group_size = {1024, 1024, 64};
  info.limits.max_shared_memory_bytes = 1 << 16;
  info.limits.fp16_storage = info.limits.fp16_arithmetic = true;
  return info;
}

inline Parameters packed(uint32_t x, uint32_t y = 4, uint32_t z = 1) {
  return {{"group_size_x", x}, {"group_size_y", y}, {"group_size_z", z}, {"storage", 0}, {"half_sums", 0}};
}

}  // namespace upres::tune
