// A compute kernel: SPIR-V made ready for one device, used by names.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <vkc/buffer.h>
#include <vkc/commands.h>
#include <vkc/device.h>
#include <vkc/error.h>
#include <vkc/extent.h>
#include <vkc/image.h>
#include <vkc/kernel_source.h>
#include <vkc/list_view.h>
#include <vkc/sampler.h>

namespace vkc {

namespace detail {
class KernelState;
}

template <typename T>
concept UnsignedNumber = std::unsigned_integral<T> && !std::same_as<T, bool>;

// The value of a specialization constant. It must fit the constant's type in the module: boolean for boolean,
// whole numbers within range for any integer type, floating point for floating point (rounded to the
// constant's width).
class ConstantValue {
 public:
  template <std::same_as<bool> T>
  constexpr ConstantValue(T value) : value_(value) {}
  template <std::signed_integral T>
  constexpr ConstantValue(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <UnsignedNumber T>
  constexpr ConstantValue(T value) : value_(static_cast<std::uint64_t>(value)) {}
  template <std::floating_point T>
  constexpr ConstantValue(T value) : value_(static_cast<double>(value)) {}

  using Variant = std::variant<bool, std::int64_t, std::uint64_t, double>;
  [[nodiscard]] constexpr const Variant& variant() const { return value_; }

 private:
  Variant value_;
};

// A specialization constant by name: {"kernel_size_x", 3}, {"apply_relu", true}.
struct Constant {
  std::string_view name;
  ConstantValue value;
};

// Invocations of a group: the specialization constants group_size_x, group_size_y and group_size_z.
struct KernelGroupSize {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  friend constexpr bool operator==(const KernelGroupSize&, const KernelGroupSize&) = default;
};

struct GroupCount {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  friend constexpr bool operator==(const GroupCount&, const GroupCount&) = default;
};

// The fewest groups that cover the extent: each count is the extent over the group size, rounded up. Groups
// of size 0, which no kernel has, cover nothing: 0.
[[nodiscard]] GroupCount group_count(const Extent& extent, const KernelGroupSize& group_size);
// The same for one invocation a texel.
template <std::same_as<Image> T>
[[nodiscard]] GroupCount group_count(const T& image, const KernelGroupSize& group_size) {
  return group_count(image.extent(), group_size);
}

// What can be bound to a name: a view of something that lives at least until the call returns. Made from a
// Buffer, BufferRange, Image or Sampler by itself; from an image with its sampler in braces, for the combined
// ones of other languages than Slang.
class Resource {
 public:
  Resource(const BufferRange& range) : range_(range) {}
  Resource(const Buffer& buffer) : range_(buffer) {}
  Resource(const Image& image) : image_(image.state().get()) {}
  Resource(const Sampler& sampler) : sampler_(sampler.state().get()) {}
  Resource(const Image& image, const Sampler& sampler)
      : image_(image.state().get()), sampler_(sampler.state().get()) {}

  // The range's state() is null if it is no buffer; likewise the others.
  [[nodiscard]] const BufferRange& buffer_range() const { return range_; }
  [[nodiscard]] detail::ImageState* image() const { return image_; }
  [[nodiscard]] detail::SamplerState* sampler() const { return sampler_; }

 private:
  BufferRange range_{nullptr, 0, 0};
  detail::ImageState* image_ = nullptr;
  detail::SamplerState* sampler_ = nullptr;
};

// {"input", in}; {"weights", all_weights.range(offset_bytes, size_bytes)}; {"picture", image};
// {"combined", {image, sampler}}
struct Binding {
  std::string_view name;
  Resource resource;
};

// A host struct that can be a push-constant block.
template <typename T>
concept PushBlock = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
    !std::convertible_to<const T&, std::span<const std::byte>>;

// The bytes of the push-constant block: any trivially copyable struct laid out as the shader's, or plain
// bytes.
class PushConstants {
 public:
  PushConstants() = default;
  PushConstants(std::span<const std::byte> bytes) : bytes_(bytes) {}
  PushConstants(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  template <PushBlock T>
  PushConstants(const T& block) : bytes_(std::as_bytes(std::span(&block, 1))) {}

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// The largest number of a binding in its set, as the module declares it, that vkc takes: Vulkan names no
// limit, but drivers make tables as long as the largest number, and some crash.
inline constexpr std::uint32_t kMostBindingNumber = 65535;

struct KernelOptions {
  // Subgroup size to ask for: a power of two within limits.min_subgroup_size and max_subgroup_size; needs the
  // feature subgroup_size_control unless it is the device's only one. Empty: the driver's choice.
  std::optional<std::uint32_t> subgroup_size = {};
  // Of a kernel made from plain SPIR-V, for errors and debug tools.
  std::string_view name = "unnamed";
  // The module is the program's own, and its tests validate it: it goes to the driver without validation,
  // which takes about half a microsecond a word (0.3 to 2.5 ms for modules of 700 to 5,400 words). A driver
  // may crash on an invalid module.
  bool trusted = false;
  // Asks the driver to keep what Kernel::statistics() tells, where the device has the feature
  // pipeline_statistics. Drivers may compile anew what their caches already hold.
  bool statistics = false;
};

// A number that the driver tells of what it compiled. Names, units and meanings are the driver's own.
struct KernelStatistic {
  std::string executable;   // the part of the pipeline that it is about; most drivers have one
  std::string name;         // "VGPRs"
  std::string description;  // in the driver's words
  std::variant<bool, std::int64_t, std::uint64_t, double> value;
};

// What many drivers tell, under one name each; empty where this driver does not. Known are the names of
// NVIDIA's driver and of Mesa's for AMD, Intel and Adreno.
struct KernelStatistics {
  std::vector<KernelStatistic> all;            // everything, in the driver's order
  std::optional<std::uint32_t> subgroup_size;  // that the kernel was compiled for
  std::optional<std::uint64_t> registers;      // 32-bit ones of an invocation
  // What did not fit the registers; 0: everything did. Stores or registers, as the driver counts.
  std::optional<std::uint64_t> spills;
  // Memory for what is spilled and for arrays: of an invocation or of a subgroup, as the driver counts.
  std::optional<std::uint64_t> scratch_bytes;
  std::optional<std::uint64_t> shared_bytes;  // of a group
  // Occupancy: subgroups that one execution unit (SIMD, core) can have in flight at once.
  std::optional<std::uint64_t> subgroups_in_flight;
};

// Fills everything but `all` and subgroup_size from statistics under the names known.
[[nodiscard]] KernelStatistics summarized(std::vector<KernelStatistic> all);

// A shared handle. Threads: immutable, so every member may be called from any thread (with different
// Commands). Commands that use it keep it alive.
class Kernel {
 public:
  // Sets the constants in the module (their values become literals before the driver sees it), reflects what
  // it binds, checks it against the device, validates it (unless options.trusted) and makes the pipeline.
  //
  // Validation covers all rules of SPIR-V for the device's version of Vulkan, by SPIRV-Tools. Modules with
  // cooperative matrices, where that library does not know them, have their ids and the form of their
  // instructions checked, but not their types.
  //
  // constants: each specialization constant that the module contains must be given exactly once, by name; a
  // declared name that the compiler dropped may be given and is ignored; any other name is an error.
  // group_size: the constants group_size_x, _y, _z. Empty: the module's group size is literal, or these names
  // are among `constants`.
  //
  // The entry point may have any name: the driver gets "main" in its place.
  //
  // Errors: invalid_module (not SPIR-V, damaged, invalid, no or several compute entry points),
  // invalid_argument (a name that is unknown, missing or given twice; a value that does not fit its type; a
  // group size of 0, or other than the module's literal one; two declared bindings of one name),
  // not_supported (a capability, SPIR-V version or kind of resource that the device or vkc lacks, by name),
  // limit_exceeded (group size, invocations, shared memory, push constants, number of bindings; a set number
  // from max_bound_descriptor_sets on; a binding number beyond kMostBindingNumber), out_of_memory,
  // device_lost, vulkan (the driver refused the pipeline).
  static Result<Kernel> create(const Device& device, const KernelSource& source,
                               ListView<Constant> constants = {},
                               std::optional<KernelGroupSize> group_size = {},
                               const KernelOptions& options = {});
  // The same for plain SPIR-V of any compiler: host byte order words; names come from its OpName.
  static Result<Kernel> create(const Device& device, std::span<const std::uint32_t> spirv,
                               ListView<Constant> constants = {},
                               std::optional<KernelGroupSize> group_size = {},
                               const KernelOptions& options = {});

  // Records one dispatch of `groups` groups. Every binding of the module must be given exactly once, by name;
  // declared but dropped ones may be given; order does not matter. push: exactly the block's size (a struct's
  // padding at the end is allowed); none if the kernel has no block. A count of 0 in any dimension records
  // nothing. An image bound to a storage image has the format that the kernel declares; where it declares
  // none, the module needs the features storage_image_read_without_format or _write_without_format.
  //
  // A range holds the block that the kernel declares: its members, and one element of an array without length
  // at the end. What a kernel does with an index beyond the range, or beyond a fixed array, is not checked:
  // vkc leaves robustBufferAccess off, because its checks cost time at every access. Such a kernel may read
  // anything, write into other buffers of the device, lose the device or, on a software device, end the
  // program. A kernel looks at its indices by itself, with sizes from push constants or GetDimensions.
  //
  // Errors (also kept by `commands`, see Commands::submit): invalid_argument (a name unknown, missing or
  // given twice; something of another kind than the kernel's; a range outside its buffer, empty, smaller than
  // the block, of no buffer, or of another device; an image of another number of dimensions, format, kind of
  // channel or use; an image that its sampler cannot read; push constants of the wrong size; commands for the
  // transfer queue), limit_exceeded (max_group_count, max_storage_buffer_range, offset alignment, ...),
  // out_of_memory, device_lost.
  Status dispatch(Commands& commands, const GroupCount& groups, ListView<Binding> bindings,
                  const PushConstants& push = {}) const;

  [[nodiscard]] std::string_view name() const;
  // Read back from the module that the driver got.
  [[nodiscard]] KernelGroupSize group_size() const;
  [[nodiscard]] std::uint32_t shared_memory_bytes() const;
  [[nodiscard]] std::uint32_t push_constants_bytes() const;

  // What the driver tells of the compiled kernel; asks it each time. Errors: not_supported (the device lacks
  // the feature pipeline_statistics), invalid_argument (the kernel was made without
  // KernelOptions::statistics), device_lost, out_of_memory.
  [[nodiscard]] Result<KernelStatistics> statistics() const;

  explicit Kernel(std::shared_ptr<const detail::KernelState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<const detail::KernelState>& state() const { return state_; }

 private:
  std::shared_ptr<const detail::KernelState> state_;
};

// One member of a host struct for push constants: {"width", offsetof(Push, width), sizeof(Push::width)}.
struct PushMember {
  std::string_view name;
  std::size_t offset_bytes = 0;
  std::size_t size_bytes = 0;
};

// Compares a host struct with the block that the kernel's source declares: same names, offsets and sizes,
// nothing more and nothing less. For a unit test; needs no device. Errors: invalid_argument, one reason per
// difference.
Status check_push_constants(const KernelSource& source, ListView<PushMember> members);

}  // namespace vkc
