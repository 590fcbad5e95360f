// What the kernels' host sides share: push blocks, tensors of a node, checks against device limits.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/kernel.h"

// One entry of Kernel::push_fields().
#define UPRES_PUSH_FIELD(Struct, member) \
  ::upres::kernels::PushField { #member, offsetof(Struct, member), sizeof(Struct::member) }

namespace upres::kernels {

// The bytes of a push-constant struct; structs hold 4-byte members only, so there is no padding.
template <typename Push>
std::vector<std::byte> push_bytes(const Push& push) {
  static_assert(std::is_trivially_copyable_v<Push> && sizeof(Push) % 4 == 0 && alignof(Push) == 4);
  std::vector<std::byte> bytes(sizeof(Push));
  std::memcpy(bytes.data(), &push, sizeof(Push));
  return bytes;
}

// Sizes are never negative; Vulkan counts unsigned.
constexpr uint32_t u32(int value) { return static_cast<uint32_t>(value); }
constexpr uint32_t divide_up(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

const TensorType& input_type(const graph::Graph& graph, const graph::Node& node, size_t index = 0);
const TensorType& output_type(const graph::Graph& graph, const graph::Node& node, size_t index = 0);
const Extent& input_extent(const LaunchContext& context, size_t index = 0);
const Extent& output_extent(const LaunchContext& context, size_t index = 0);

// 32-bit words of a row of interleaved pixels on the device.
uint32_t row_words(const TensorType& type, const Extent& extent);

// Whether the device can run this group size, this many push-constant bytes and a grid this deep (planes
// become groups in z). Errors: device, naming kernel, limit and number.
Status check_launch_limits(std::string_view kernel, const GroupSize& group_size, size_t push_bytes,
                           uint32_t depth, const DeviceInfo& device);
// Whether `bytes` of constant data fit one binding. Errors: device.
Status check_binding_range(std::string_view kernel, std::string_view what, uint64_t bytes,
                           const DeviceInfo& device);

// Whether a group may have that much shared memory. Errors: device.
Status check_shared_memory(std::string_view kernel, uint64_t bytes, const DeviceInfo& device);

// The kernel's group size with these tunables.
GroupSize tuned_group_size(const Kernel& kernel, std::span<const Tuning> tuning);

}  // namespace upres::kernels
