// A kernel as the build embeds it: SPIR-V and the interface that its source declares. Needs no Vulkan.
//
// The interface is recorded from the shader compiler's reflection, because compilers drop constants, bindings
// and push-constant members that a kernel does not use from the SPIR-V. A declared but dropped name is
// accepted by vkc::Kernel and ignored; a name that is not declared is an error.
//
// The CMake function vkc_add_kernels (cmake/VkcKernels.cmake) makes these. All spans point at static data
// there; a KernelSource made by hand must outlive its uses. Everything here is a plain value: safe from any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vkc {

// The type of a specialization constant or of a push-constant member's scalars.
enum class ScalarType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  other,  // a structure, matrix or anything else that is no scalar and no vector of scalars
};

// `[vk::constant_id(id)] const int name = default;`
struct DeclaredConstant {
  std::string_view name;
  std::uint32_t id = 0;
  ScalarType type = ScalarType::other;
  // The default's bits in the constant's own type, higher bits zero (a boolean is 0 or 1); empty if the
  // compiler dropped the constant.
  std::optional<std::uint64_t> default_bits = {};
};

// `[[vk::binding(binding, set)]] ... name;`
struct DeclaredBinding {
  std::string_view name;
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
};

// A member of the push-constant block; offset and size in bytes from the start of the block.
struct DeclaredPushConstant {
  std::string_view name;
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  ScalarType type = ScalarType::other;
};

struct KernelSource {
  std::string_view name;
  std::span<const std::uint32_t> spirv;  // words of the module, host byte order
  std::span<const DeclaredConstant> constants = {};
  std::span<const DeclaredBinding> bindings = {};
  std::span<const DeclaredPushConstant> push_constants = {};
};

}  // namespace vkc
