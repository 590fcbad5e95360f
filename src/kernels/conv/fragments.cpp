#include "kernels/conv/fragments.h"

#include <algorithm>
#include <array>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array kHalf = {DType::f16};
constexpr MatrixShape kMultiplication = {kFragment,         kFragment,         kFragment,
                                         MatrixNumber::f16, MatrixNumber::f16, MatrixNumber::f32,
                                         MatrixNumber::f32};

float weight_of(const graph::Conv& conv, size_t out, const WindowSample& sample) {
  return weight_at(conv, {static_cast<int>(out), sample.in_channel, sample.kernel_y, sample.kernel_x});
}

}  // namespace

bool multiplies_fragments(const DeviceLimits& limits) {
  const auto& shapes = limits.matrix_shapes;
  return std::find(shapes.begin(), shapes.end(), kMultiplication) != shapes.end();
}

Status check_matrices(std::string_view kernel, uint32_t subgroups, uint32_t shared_memory_bytes,
                      const DeviceInfo& device) {
  const DeviceLimits& limits = device.limits;
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorCode::device, "kernel " + std::string(kernel) + " needs " + what);
  };
  if (!limits.fp16_storage || !limits.fp16_arithmetic) return refuse("fp16, which the device lacks");
  if (!multiplies_fragments(limits)) {
    return refuse("cooperative matrices of 16x16x16 f16,f16,f32->f32, and the device offers " +
                  std::string(limits.matrix_shapes.empty() ? "none" : "others"));
  }
  if (limits.subgroup_size != kMatrixSubgroupSize)
    return refuse("subgroups of 32, and the device's have " + std::to_string(limits.subgroup_size));
  if (auto status = check_shared_memory(kernel, shared_memory_bytes, device); !status) return status;
  return check_launch_limits(kernel, {kMatrixSubgroupSize, subgroups, 1}, sizeof(ConvPush), 1, device);
}

std::vector<WindowSample> pixel_major_samples(const graph::Conv& conv) {
  std::vector<WindowSample> samples;
  for (int ky = 0; ky < conv.kernel_height; ++ky) {
    for (int kx = 0; kx < conv.kernel_width; ++kx) {
      for (int in = 0; in < conv.in_channels; ++in) samples.push_back({in, ky, kx});
    }
  }
  return samples;
}

std::vector<WindowSample> planar_samples(const graph::Conv& conv) {
  std::vector<WindowSample> samples;
  for (int in = 0; in < conv.in_channels; ++in) {
    for (int ky = 0; ky < conv.kernel_height; ++ky) {
      for (int kx = 0; kx < conv.kernel_width; ++kx) samples.push_back({in, ky, kx});
    }
  }
  return samples;
}

std::vector<std::byte> pack_weight_fragments(const graph::Conv& conv, std::span<const WindowSample> samples,
                                             std::span<const std::vector<float>> more) {
  const auto element = [&](size_t row, size_t out) -> float {
    if (row < samples.size()) return weight_of(conv, out, samples[row]);
    const size_t rest = row - samples.size();
    return rest < more.size() && out < more[rest].size() ? more[rest][out] : 0;
  };
  const size_t channel_blocks = divide_up(u32(conv.out_channels), kFragment);
  const size_t slices = divide_up(static_cast<uint32_t>(samples.size() + more.size()), kFragment);
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < slices * channel_blocks * kFragment * kFragment; ++i) {
    const size_t column = i % kFragment;
    const size_t block = i / (kFragment * kFragment);
    const size_t out = block % channel_blocks * kFragment + column;
    const size_t row = block / channel_blocks * kFragment + i / kFragment % kFragment;
    append_number(bytes, DType::f16, element(row, out));
  }
  return bytes;
}

std::span<const DType> MatrixConv::dtypes() const { return kHalf; }

}  // namespace upres::kernels
