// What a kernel needs to know of a GPU: a plain struct of limits, so that plans can be made for a device that
// is not here. session/gpu fills it from vkc; devicedb reads and writes it as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace upres::kernels {

// Types of numbers in cooperative matrices.
enum class MatrixNumber : uint8_t { f16, bf16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64 };

// A multiplication that a subgroup does together, result = A * B + C without saturation: A of m x k, B of
// k x n, C and result of m x n numbers.
struct MatrixShape {
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k = 0;
  MatrixNumber a = MatrixNumber::f16;
  MatrixNumber b = MatrixNumber::f16;
  MatrixNumber c = MatrixNumber::f32;
  MatrixNumber result = MatrixNumber::f32;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

struct DeviceLimits {
  uint64_t max_storage_buffer_range_bytes = 1ULL << 27;
  uint64_t max_buffer_bytes = 1ULL << 30;  // largest single allocation
  uint64_t memory_bytes = 1ULL << 30;      // of the largest device-local heap
  uint64_t memory_budget_bytes = 1ULL
                                 << 29;  // free for us now, where the driver tells; else half of the heap
  uint32_t min_storage_buffer_offset_alignment_bytes = 256;
  uint32_t max_shared_memory_bytes = 16384;
  uint32_t max_push_constant_bytes = 128;
  uint32_t max_group_invocations = 128;
  std::array<uint32_t, 3> max_group_size = {128, 128, 64};
  std::array<uint32_t, 3> max_group_count = {65535, 65535, 65535};
  uint32_t subgroup_size = 32;
  uint32_t min_subgroup_size = 32;
  uint32_t max_subgroup_size = 32;
  bool fp16_storage = false;               // 16-bit storage buffers
  bool fp16_arithmetic = false;            // shaderFloat16
  std::vector<MatrixShape> matrix_shapes;  // of VK_KHR_cooperative_matrix; empty without it
  bool timestamps = false;
  uint32_t max_image_dimension_3d = 256;  // texels along each side of a 3-D image
  bool storage_image_fp32 = false;        // kernels read and write images of four f32 channels
  bool storage_image_fp16 = false;        // ... of four f16 channels
};

struct DeviceInfo {
  std::string name;    // as the driver says: "NVIDIA H200"
  std::string kind;    // discrete, integrated, virtual, software
  std::string uuid;    // 32 hexadecimal digits
  std::string driver;  // name and version
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  DeviceLimits limits;
};

}  // namespace upres::kernels
