#include "kernels/launch.h"

#include <array>
#include <string>

namespace upres::kernels {

namespace {

std::string refusal(std::string_view kernel, const std::string& what, uint64_t needed,
                    const std::string& limit, uint64_t has) {
  return "kernel " + std::string(kernel) + " needs " + what + " of " + std::to_string(needed) +
         ", but the device's " + limit + " is " + std::to_string(has);
}

}  // namespace

const TensorType& input_type(const graph::Graph& graph, const graph::Node& node, size_t index) {
  return graph.value(node.inputs[index]).type;
}
const TensorType& output_type(const graph::Graph& graph, const graph::Node& node, size_t index) {
  return graph.value(node.outputs[index]).type;
}
const Extent& input_extent(const LaunchContext& context, size_t index) {
  return context.extents[context.node.inputs[index]];
}
const Extent& output_extent(const LaunchContext& context, size_t index) {
  return context.extents[context.node.outputs[index]];
}

uint32_t row_words(const TensorType& type, const Extent& extent) {
  return static_cast<uint32_t>(device_row_bytes(type, extent) / 4);
}

Status check_launch_limits(std::string_view kernel, const GroupSize& group_size, size_t push_bytes,
                           uint32_t depth, const DeviceInfo& device) {
  const DeviceLimits& limits = device.limits;
  const std::array<uint32_t, 3> sizes = {group_size.x, group_size.y, group_size.z};
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string name = std::string("group size ") + "xyz"[axis];
    if (sizes[axis] == 0)
      return fail(ErrorCode::device, "kernel " + std::string(kernel) + ": " + name + " is 0");
    if (sizes[axis] > limits.max_group_size[axis]) {
      return fail(ErrorCode::device,
                  refusal(kernel, "a " + name, sizes[axis], "largest", limits.max_group_size[axis]));
    }
  }
  const uint64_t invocations = uint64_t{group_size.x} * group_size.y * group_size.z;
  if (invocations > limits.max_group_invocations) {
    return fail(ErrorCode::device, refusal(kernel, "groups", invocations, "largest number of invocations",
                                           limits.max_group_invocations));
  }
  if (push_bytes > limits.max_push_constant_bytes) {
    return fail(ErrorCode::device, refusal(kernel, "push constants in bytes", push_bytes, "largest block",
                                           limits.max_push_constant_bytes));
  }
  const uint64_t groups_z = divide_up(depth, group_size.z);
  if (groups_z > limits.max_group_count[2]) {
    return fail(ErrorCode::device,
                refusal(kernel, "a group count in z", groups_z, "largest", limits.max_group_count[2]));
  }
  return {};
}

Status check_binding_range(std::string_view kernel, std::string_view what, uint64_t bytes,
                           const DeviceInfo& device) {
  if (bytes <= device.limits.max_storage_buffer_range_bytes) return {};
  return fail(ErrorCode::device,
              refusal(kernel, std::string(what) + " in bytes", bytes, "storage buffer range",
                      device.limits.max_storage_buffer_range_bytes));
}

Status check_shared_memory(std::string_view kernel, uint64_t bytes, const DeviceInfo& device) {
  const uint64_t limit = device.limits.max_shared_memory_bytes;
  if (bytes <= limit) return {};
  return fail(ErrorCode::device, "kernel " + std::string(kernel) + " needs " + std::to_string(bytes) +
                                     " bytes of shared memory, but the device's limit is " +
                                     std::to_string(limit));
}

GroupSize tuned_group_size(const Kernel& kernel, std::span<const Tuning> tuning) {
  return group_size_of(complete_tuning(kernel, tuning));
}

}  // namespace upres::kernels
