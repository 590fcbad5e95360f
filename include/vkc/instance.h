// The connection to Vulkan on this machine, and the devices it offers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vkc/error.h>

namespace vkc {

namespace detail {
class InstanceState;
}

struct InstanceOptions {
  std::string application_name = "vkc";
  // Turns VK_LAYER_KHRONOS_validation on; without that layer on the machine, creation fails with
  // not_supported.
  bool validation = false;
  LogSink log = {};
  // File name or path of the Vulkan loader; empty: the system's (libvulkan.so.1, libvulkan.1.dylib,
  // vulkan-1.dll).
  std::string loader = {};
};

struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
  friend constexpr auto operator<=>(const Version&, const Version&) = default;
};
std::string to_text(const Version& version);  // "1.3.239"

enum class DeviceType : std::uint8_t { discrete, integrated, virtual_gpu, software, other };
std::string_view to_text(DeviceType type);  // "discrete", "integrated", "virtual", "software", "other"

using Uuid = std::array<std::uint8_t, 16>;
std::string to_text(const Uuid& uuid);  // 32 lower-case hexadecimal digits

// What the device's driver allows. Names are those of VkPhysicalDeviceLimits and its relatives, shortened.
struct DeviceLimits {
  std::uint64_t max_storage_buffer_range_bytes = 0;  // one binding of a storage buffer
  std::uint64_t max_uniform_buffer_range_bytes = 0;  // one binding of a uniform buffer
  std::uint64_t max_memory_allocation_bytes = 0;     // one allocation, therefore one buffer
  std::uint64_t max_buffer_bytes = 0;  // one buffer; where the driver does not tell, the allocation limit
  std::uint32_t max_memory_allocation_count = 0;
  std::uint32_t max_push_constants_bytes = 0;
  std::uint32_t max_bound_descriptor_sets = 0;
  std::uint32_t max_storage_buffers_per_kernel = 0;
  std::uint32_t max_uniform_buffers_per_kernel = 0;
  std::uint32_t max_storage_images_per_kernel = 0;
  std::uint32_t max_sampled_images_per_kernel = 0;
  std::uint32_t max_samplers_per_kernel = 0;
  std::uint32_t max_resources_per_kernel = 0;  // of all kinds together, samplers aside
  std::uint32_t max_samplers = 0;              // alive at a time
  std::uint32_t max_image_2d_px = 0;           // width and height
  std::uint32_t max_image_3d_px = 0;           // width, height and depth
  std::uint32_t max_shared_memory_bytes = 0;
  std::array<std::uint32_t, 3> max_group_count = {};  // x y z
  std::array<std::uint32_t, 3> max_group_size = {};   // x y z
  std::uint32_t max_group_invocations = 0;
  std::uint64_t min_storage_buffer_offset_alignment_bytes = 1;
  std::uint64_t min_uniform_buffer_offset_alignment_bytes = 1;
  std::uint64_t non_coherent_atom_bytes = 1;
  std::uint32_t subgroup_size = 0;
  std::uint32_t min_subgroup_size = 0;  // both equal subgroup_size where it cannot be chosen
  std::uint32_t max_subgroup_size = 0;
  double timestamp_period_ns = 0;
  std::uint32_t timestamp_valid_bits = 0;  // on the compute queue; 0: no timestamps
};

// Optional abilities. A Device enables every one that is true here.
struct DeviceFeatures {
  bool fp16_arithmetic = false;           // shaderFloat16
  bool fp64_arithmetic = false;           // shaderFloat64
  bool int8_arithmetic = false;           // shaderInt8
  bool int16_arithmetic = false;          // shaderInt16
  bool int64_arithmetic = false;          // shaderInt64
  bool storage_8bit = false;              // 8-bit values in storage buffers
  bool storage_16bit = false;             // 16-bit values in storage buffers
  bool uniform_and_storage_8bit = false;  // and in uniform buffers
  bool uniform_and_storage_16bit = false;
  bool push_constant_8bit = false;
  bool push_constant_16bit = false;
  bool shared_memory_layout = false;   // VK_KHR_workgroup_memory_explicit_layout
  bool subgroup_size_control = false;  // a kernel may ask for its subgroup size
  bool vulkan_memory_model = false;
  bool vulkan_memory_model_device_scope = false;
  bool cooperative_matrix = false;   // VK_KHR_cooperative_matrix in kernels; shapes: DeviceProperties
  bool shader_clock = false;         // VK_KHR_shader_clock, subgroup scope
  bool pipeline_statistics = false;  // VK_KHR_pipeline_executable_properties
  bool memory_budget = false;        // VK_EXT_memory_budget
  bool storage_image_read_without_format = false;
  bool storage_image_write_without_format = false;
  bool storage_image_extended_formats = false;  // beyond r32, rgba8, rgba16_sfloat, rgba32 and their kin
  bool image_gather_extended = false;           // gathers with offsets
  bool timeline_semaphore = false;              // queues wait for each other without the host
};

// Types of numbers in cooperative matrices.
enum class MatrixNumber : std::uint8_t { f16, bf16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64 };
std::string_view to_text(MatrixNumber number);  // "f16"

// One multiplication that the subgroups of a device do together: result = A * B + C, of which A has m rows
// and k columns, B has k rows and n columns, C and the result have m rows and n columns. Sums do not
// saturate.
struct MatrixShape {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  MatrixNumber a = MatrixNumber::f16;
  MatrixNumber b = MatrixNumber::f16;
  MatrixNumber c = MatrixNumber::f32;
  MatrixNumber result = MatrixNumber::f32;
  friend constexpr bool operator==(const MatrixShape&, const MatrixShape&) = default;
};
std::string to_text(
    const MatrixShape& shape);  // "16x16x16 f16,f16,f32->f32": m, n, k, types of A, B, C, result

struct MemoryHeap {
  std::uint64_t size_bytes = 0;
  bool device_local = false;
  // What this process may use now and already uses, where the driver tells (VK_EXT_memory_budget).
  std::optional<std::uint64_t> budget_bytes = {};
  std::optional<std::uint64_t> used_bytes = {};
};

struct DeviceProperties {
  std::string name;  // as the driver says: "NVIDIA H200"
  Uuid uuid = {};
  Uuid driver_uuid = {};
  DeviceType type = DeviceType::other;
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::string driver_name;           // "radv", "NVIDIA", "llvmpipe"; empty where the driver does not tell
  std::string driver_info;           // its version as the driver writes it, "Mesa 22.3.6"; may be empty
  std::uint32_t driver_version = 0;  // the driver's own coding
  Version api_version;
  DeviceLimits limits;
  DeviceFeatures features;
  // Those of VK_KHR_cooperative_matrix with subgroup scope, in the driver's order; empty without the feature.
  // Shapes of more than 65535 rows or columns, types without a MatrixNumber and all beyond the first 1024 are
  // left out.
  std::vector<MatrixShape> matrix_shapes;
  bool transfer_queue = false;  // there is a queue that only copies; see DeviceOptions::transfer_queue
  std::vector<MemoryHeap> heaps;
};

// One device of the list, usable or not. A cheap value that keeps its Instance alive.
class PhysicalDevice {
 public:
  [[nodiscard]] const DeviceProperties& properties() const;
  // Why vkc cannot use this device, one line each; empty: it can.
  [[nodiscard]] const std::vector<std::string>& refusals() const;
  // Heaps with the budget of this moment.
  [[nodiscard]] std::vector<MemoryHeap> memory_heaps() const;

  struct State;
  explicit PhysicalDevice(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<const State>& state() const { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

// A shared handle: copies refer to the same Vulkan instance, which lives as long as anything made from it.
// Threads: all members may be called from any thread.
class Instance {
 public:
  // Loads Vulkan at run time; nothing of it is linked. Enables what helps and is there: debug names,
  // portability enumeration (MoltenVK). Errors: no_vulkan (no loader, no driver; says what to install),
  // not_supported (Vulkan older than 1.1; validation asked for and not installed), out_of_memory, vulkan.
  static Result<Instance> create(const InstanceOptions& options = {});

  // Every device, in Vulkan's order, usable or not. May be empty. Errors: no_vulkan, out_of_memory, vulkan.
  [[nodiscard]] Result<std::vector<PhysicalDevice>> physical_devices() const;

  // Warnings and errors that the validation layer has reported since creation. 0 without validation.
  [[nodiscard]] std::uint64_t validation_message_count() const;

  explicit Instance(std::shared_ptr<detail::InstanceState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::InstanceState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::InstanceState> state_;
};

struct DeviceChoice {
  // Software devices (type `software`) are many times slower than CPU code; they are taken only on request.
  bool allow_software = false;
};

// The best usable device: discrete before integrated before virtual before other before software; among
// equals the first in Vulkan's order. Errors: no_device, with one reason per device; those of
// Instance::physical_devices.
Result<PhysicalDevice> best_device(const Instance& instance, const DeviceChoice& choice = {});

}  // namespace vkc
