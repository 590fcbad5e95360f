// What the convolution kernels on cooperative matrices share. Fragments are 16x16 of half with sums in float.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/conv/conv_kernel.h"

namespace upres::kernels {

inline constexpr uint32_t kFragment = 16;
inline constexpr uint32_t kMatrixSubgroupSize = 32;

inline constexpr Storage kPixelMajorHalf = {Arrangement::pixel_major, DType::f16};

// Whether the driver offers the multiplication of such fragments, 16x16x16 f16,f16,f32->f32.
bool multiplies_fragments(const DeviceLimits& limits);

// Whether the device multiplies such fragments in groups of these subgroups.
// Errors: device.
Status check_matrices(std::string_view kernel, uint32_t subgroups, uint32_t shared_memory_bytes,
                      const DeviceInfo& device);

// What each row of the matrix of weights belongs to: a sample of the kernel's window.
struct WindowSample {
  int in_channel = 0;
  int kernel_y = 0;
  int kernel_x = 0;
};

// All of them in the order [kernel y][kernel x][in channel], and [in channel][kernel y][kernel x].
std::vector<WindowSample> pixel_major_samples(const graph::Conv& conv);
std::vector<WindowSample> planar_samples(const graph::Conv& conv);

// [rows / 16][out_channels up to a multiple of 16, / 16][16 rows][16 out] half: a row for each sample, then
// `more` rows of [out_channels]; zeros beyond the last row and the last channel.
std::vector<std::byte> pack_weight_fragments(const graph::Conv& conv, std::span<const WindowSample> samples,
                                             std::span<const std::vector<float>> more = {});

// The base of these kernels: f16 only, a group of (32, subgroups, 1).
class MatrixConv : public ConvKernel {
 public:
  [[nodiscard]] std::span<const DType> dtypes() const override;
};

}  // namespace upres::kernels
