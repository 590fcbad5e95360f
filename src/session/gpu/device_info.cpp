#include "session/gpu/device_info.h"

#include <vkc/image.h>

#include <algorithm>
#include <span>
#include <utility>

namespace upres::session {
namespace {

struct Memory {
  uint64_t size_bytes = 0;
  uint64_t budget_bytes = 0;
};

uint64_t free_bytes(const vkc::MemoryHeap& heap) {
  if (!heap.budget_bytes) return heap.size_bytes / 2;
  return *heap.budget_bytes - std::min(*heap.budget_bytes, heap.used_bytes.value_or(0));
}

// Of the largest device-local heap.
Memory device_memory(std::span<const vkc::MemoryHeap> heaps) {
  Memory memory;
  for (const vkc::MemoryHeap& heap : heaps) {
    if (heap.device_local && heap.size_bytes > memory.size_bytes)
      memory = {heap.size_bytes, free_bytes(heap)};
  }
  return memory;
}

std::string driver_text(const vkc::DeviceProperties& properties) {
  if (properties.driver_name.empty()) return "version " + std::to_string(properties.driver_version);
  return properties.driver_info.empty() ? properties.driver_name
                                        : properties.driver_name + " " + properties.driver_info;
}

kernels::MatrixNumber matrix_number(vkc::MatrixNumber number) {
  using From = vkc::MatrixNumber;
  using To = kernels::MatrixNumber;
  switch (number) {
    case From::f16:
      return To::f16;
    case From::bf16:
      return To::bf16;
    case From::f32:
      return To::f32;
    case From::f64:
      return To::f64;
    case From::s8:
      return To::s8;
    case From::s16:
      return To::s16;
    case From::s32:
      return To::s32;
    case From::s64:
      return To::s64;
    case From::u8:
      return To::u8;
    case From::u16:
      return To::u16;
    case From::u32:
      return To::u32;
    case From::u64:
      break;
  }
  return To::u64;
}

kernels::MatrixShape matrix_shape(const vkc::MatrixShape& shape) {
  return {shape.m,
          shape.n,
          shape.k,
          matrix_number(shape.a),
          matrix_number(shape.b),
          matrix_number(shape.c),
          matrix_number(shape.result)};
}

kernels::DeviceLimits limits_of(const vkc::DeviceProperties& properties, const Memory& memory) {
  const vkc::DeviceLimits& from = properties.limits;
  const vkc::DeviceFeatures& features = properties.features;
  kernels::DeviceLimits limits;
  limits.max_storage_buffer_range_bytes = from.max_storage_buffer_range_bytes;
  limits.max_buffer_bytes = std::min(from.max_buffer_bytes, from.max_memory_allocation_bytes);
  limits.memory_bytes = memory.size_bytes;
  limits.memory_budget_bytes = memory.budget_bytes;
  // At most 256 by the specification.
  limits.min_storage_buffer_offset_alignment_bytes =
      static_cast<uint32_t>(from.min_storage_buffer_offset_alignment_bytes);
  limits.max_shared_memory_bytes = from.max_shared_memory_bytes;
  limits.max_push_constant_bytes = from.max_push_constants_bytes;
  limits.max_group_invocations = from.max_group_invocations;
  limits.max_group_size = from.max_group_size;
  limits.max_group_count = from.max_group_count;
  limits.subgroup_size = from.subgroup_size;
  limits.min_subgroup_size = from.min_subgroup_size;
  limits.max_subgroup_size = from.max_subgroup_size;
  limits.fp16_storage = features.storage_16bit;
  limits.fp16_arithmetic = features.fp16_arithmetic;
  for (const vkc::MatrixShape& shape : properties.matrix_shapes)
    limits.matrix_shapes.push_back(matrix_shape(shape));
  limits.timestamps = from.timestamp_valid_bits > 0;
  limits.max_image_dimension_3d = from.max_image_3d_px;
  return limits;
}

}  // namespace

kernels::DeviceInfo device_info(const vkc::PhysicalDevice& device) {
  const vkc::DeviceProperties& properties = device.properties();
  kernels::DeviceLimits limits = limits_of(properties, device_memory(device.memory_heaps()));
  limits.storage_image_fp32 = vkc::format_support(device, vkc::ImageFormat::rgba32_sfloat).storage;
  limits.storage_image_fp16 = vkc::format_support(device, vkc::ImageFormat::rgba16_sfloat).storage;
  return {.name = properties.name,
          .kind = std::string(vkc::to_text(properties.type)),
          .uuid = vkc::to_text(properties.uuid),
          .driver = driver_text(properties),
          .vendor_id = properties.vendor_id,
          .device_id = properties.device_id,
          .limits = std::move(limits)};
}

}  // namespace upres::session
