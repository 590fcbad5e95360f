#include "kernels/conv/fragments.h"

#include <array>

#include "base/half.h"
#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array kHalf = {DType::f16};

template <typename T>
void append(std::vector<std::byte>& bytes, const T& value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

float weight_of(const graph::Conv& conv, size_t out, const WindowSample& sample) {
  const auto at = [](size_t before, int size, int index) {
    return before * static_cast<size_t>(size) + static_cast<size_t>(index);
  };
  const size_t in = at(out, conv.in_channels, sample.in_channel);
  return (*conv.weights)[at(at(in, conv.kernel_height, sample.kernel_y), conv.kernel_width, sample.kernel_x)];
}

}  // namespace

Status check_matrices(std::string_view kernel, uint32_t subgroups, uint32_t shared_memory_bytes,
                      const DeviceInfo& device) {
  const DeviceLimits& limits = device.limits;
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorCode::device, "kernel " + std::string(kernel) + " needs " + what);
  };
  if (!limits.cooperative_matrix || !limits.fp16_storage || !limits.fp16_arithmetic)
    return refuse("cooperative matrices and fp16, which the device lacks");
  if (limits.subgroup_size != kMatrixSubgroupSize)
    return refuse("subgroups of 32, and the device's have " + std::to_string(limits.subgroup_size));
  if (shared_memory_bytes > limits.max_shared_memory_bytes) {
    return refuse(std::to_string(shared_memory_bytes) +
                  " bytes of shared memory, and the device's limit is " +
                  std::to_string(limits.max_shared_memory_bytes));
  }
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
    const bool is_there = sample < samples.size() && out < static_cast<size_t>(conv.out_channels);
    append(bytes, float_to_half(is_there ? weight_of(conv, out, samples[sample]) : 0.0F));
  }
  return bytes;
}

std::vector<std::byte> pack_fragment_biases(const graph::Conv& conv) {
  std::vector<std::byte> bytes;
  for (const float bias : *conv.biases) append(bytes, bias);
  bytes.resize(size_t{divide_up(u32(conv.out_channels), kFragment)} * kFragment * sizeof(float));
  return bytes;
}

std::span<const DType> MatrixConv::dtypes() const { return kHalf; }

BindingNames MatrixConv::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"}, .outputs = {"output"}, .constant_data = {"weights", "biases"}};
}

std::span<const PushField> MatrixConv::push_fields() const { return conv_push_fields(); }

}  // namespace upres::kernels
