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

std::vector<std::byte> pack_weight_fragments(const graph::Conv& conv, std::span<const WindowSample> samples) {
  const size_t channel_blocks = divide_up(u32(conv.out_channels), kFragment);
  const size_t slices = divide_up(static_cast<uint32_t>(samples.size()), kFragment);
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < slices * channel_blocks * kFragment * kFragment; ++i) {
    const size_t column = i % kFragment;
    const size_t row = i / kFragment % kFragment;
    const size_t block = i / (kFragment * kFragment);
    const size_t out = block % channel_blocks * kFragment + column;
    const size_t sample = block / channel_blocks * kFragment + row;
    const float weight = sample < samples.size() ? weight_of(conv, out, samples[sample]) : 0.0F;
    append_number(bytes, DType::f16, weight);
  }
  return bytes;
}

std::span<const DType> MatrixConv::dtypes() const { return kHalf; }

}  // namespace upres::kernels
