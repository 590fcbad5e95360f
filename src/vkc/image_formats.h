// What vkc knows of each image format.
#pragma once

#include <cstdint>
#include <string_view>

#include <vkc/image.h>

#include "vkc/vulkan_api.h"

namespace vkc::detail {

// The type that a kernel sees a channel as.
enum class TexelKind : std::uint8_t { floating_point, unsigned_integer, signed_integer };
std::string_view to_text(TexelKind kind);  // "floating point"

struct FormatInfo {
  ImageFormat format;
  std::string_view name;
  VkFormat vk_format;
  std::uint32_t spirv_format;  // SPIR-V specification, section 3.11
  std::uint32_t channels;
  std::uint32_t texel_bytes;
  TexelKind kind;
};

inline constexpr ImageFormat kLastFormat = ImageFormat::rgba32_sfloat;
inline bool is_format(ImageFormat format) { return format <= kLastFormat; }
// Of a format that is_format.
const FormatInfo& format_info(ImageFormat format);
// The format of that number in SPIR-V; null if vkc has no such format (0, Unknown, included).
const FormatInfo* format_of_spirv(std::uint32_t spirv_format);

}  // namespace vkc::detail
