#include "vkc/image_formats.h"

#include <algorithm>
#include <array>

namespace vkc {
namespace detail {
namespace {

constexpr TexelKind kFloat = TexelKind::floating_point;
constexpr TexelKind kUint = TexelKind::unsigned_integer;
constexpr TexelKind kSint = TexelKind::signed_integer;

// In the order of the enumeration.
constexpr std::array kFormats = {
    FormatInfo{ImageFormat::r8_unorm, "r8_unorm", VK_FORMAT_R8_UNORM, 15, 1, 1, kFloat},
    FormatInfo{ImageFormat::rg8_unorm, "rg8_unorm", VK_FORMAT_R8G8_UNORM, 13, 2, 2, kFloat},
    FormatInfo{ImageFormat::rgba8_unorm, "rgba8_unorm", VK_FORMAT_R8G8B8A8_UNORM, 4, 4, 4, kFloat},
    FormatInfo{ImageFormat::r8_snorm, "r8_snorm", VK_FORMAT_R8_SNORM, 20, 1, 1, kFloat},
    FormatInfo{ImageFormat::rg8_snorm, "rg8_snorm", VK_FORMAT_R8G8_SNORM, 18, 2, 2, kFloat},
    FormatInfo{ImageFormat::rgba8_snorm, "rgba8_snorm", VK_FORMAT_R8G8B8A8_SNORM, 5, 4, 4, kFloat},
    FormatInfo{ImageFormat::r8_uint, "r8_uint", VK_FORMAT_R8_UINT, 39, 1, 1, kUint},
    FormatInfo{ImageFormat::rg8_uint, "rg8_uint", VK_FORMAT_R8G8_UINT, 37, 2, 2, kUint},
    FormatInfo{ImageFormat::rgba8_uint, "rgba8_uint", VK_FORMAT_R8G8B8A8_UINT, 32, 4, 4, kUint},
    FormatInfo{ImageFormat::r8_sint, "r8_sint", VK_FORMAT_R8_SINT, 29, 1, 1, kSint},
    FormatInfo{ImageFormat::rg8_sint, "rg8_sint", VK_FORMAT_R8G8_SINT, 27, 2, 2, kSint},
    FormatInfo{ImageFormat::rgba8_sint, "rgba8_sint", VK_FORMAT_R8G8B8A8_SINT, 23, 4, 4, kSint},
    FormatInfo{ImageFormat::r16_unorm, "r16_unorm", VK_FORMAT_R16_UNORM, 14, 1, 2, kFloat},
    FormatInfo{ImageFormat::rg16_unorm, "rg16_unorm", VK_FORMAT_R16G16_UNORM, 12, 2, 4, kFloat},
    FormatInfo{ImageFormat::rgba16_unorm, "rgba16_unorm", VK_FORMAT_R16G16B16A16_UNORM, 10, 4, 8, kFloat},
    FormatInfo{ImageFormat::r16_snorm, "r16_snorm", VK_FORMAT_R16_SNORM, 19, 1, 2, kFloat},
    FormatInfo{ImageFormat::rg16_snorm, "rg16_snorm", VK_FORMAT_R16G16_SNORM, 17, 2, 4, kFloat},
    FormatInfo{ImageFormat::rgba16_snorm, "rgba16_snorm", VK_FORMAT_R16G16B16A16_SNORM, 16, 4, 8, kFloat},
    FormatInfo{ImageFormat::r16_uint, "r16_uint", VK_FORMAT_R16_UINT, 38, 1, 2, kUint},
    FormatInfo{ImageFormat::rg16_uint, "rg16_uint", VK_FORMAT_R16G16_UINT, 36, 2, 4, kUint},
    FormatInfo{ImageFormat::rgba16_uint, "rgba16_uint", VK_FORMAT_R16G16B16A16_UINT, 31, 4, 8, kUint},
    FormatInfo{ImageFormat::r16_sint, "r16_sint", VK_FORMAT_R16_SINT, 28, 1, 2, kSint},
    FormatInfo{ImageFormat::rg16_sint, "rg16_sint", VK_FORMAT_R16G16_SINT, 26, 2, 4, kSint},
    FormatInfo{ImageFormat::rgba16_sint, "rgba16_sint", VK_FORMAT_R16G16B16A16_SINT, 22, 4, 8, kSint},
    FormatInfo{ImageFormat::r16_sfloat, "r16_sfloat", VK_FORMAT_R16_SFLOAT, 9, 1, 2, kFloat},
    FormatInfo{ImageFormat::rg16_sfloat, "rg16_sfloat", VK_FORMAT_R16G16_SFLOAT, 7, 2, 4, kFloat},
    FormatInfo{ImageFormat::rgba16_sfloat, "rgba16_sfloat", VK_FORMAT_R16G16B16A16_SFLOAT, 2, 4, 8, kFloat},
    FormatInfo{ImageFormat::r32_uint, "r32_uint", VK_FORMAT_R32_UINT, 33, 1, 4, kUint},
    FormatInfo{ImageFormat::rg32_uint, "rg32_uint", VK_FORMAT_R32G32_UINT, 35, 2, 8, kUint},
    FormatInfo{ImageFormat::rgba32_uint, "rgba32_uint", VK_FORMAT_R32G32B32A32_UINT, 30, 4, 16, kUint},
    FormatInfo{ImageFormat::r32_sint, "r32_sint", VK_FORMAT_R32_SINT, 24, 1, 4, kSint},
    FormatInfo{ImageFormat::rg32_sint, "rg32_sint", VK_FORMAT_R32G32_SINT, 25, 2, 8, kSint},
    FormatInfo{ImageFormat::rgba32_sint, "rgba32_sint", VK_FORMAT_R32G32B32A32_SINT, 21, 4, 16, kSint},
    FormatInfo{ImageFormat::r32_sfloat, "r32_sfloat", VK_FORMAT_R32_SFLOAT, 3, 1, 4, kFloat},
    FormatInfo{ImageFormat::rg32_sfloat, "rg32_sfloat", VK_FORMAT_R32G32_SFLOAT, 6, 2, 8, kFloat},
    FormatInfo{ImageFormat::rgba32_sfloat, "rgba32_sfloat", VK_FORMAT_R32G32B32A32_SFLOAT, 1, 4, 16, kFloat},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (static_cast<std::size_t>(kFormats[i].format) != i) return false;
  }
  return kFormats.back().format == kLastFormat;
}
static_assert(in_order());

}  // namespace

std::string_view to_text(TexelKind kind) {
  switch (kind) {
    case TexelKind::floating_point:
      return "floating point";
    case TexelKind::unsigned_integer:
      return "unsigned integers";
    case TexelKind::signed_integer:
      break;
  }
  return "signed integers";
}

const FormatInfo& format_info(ImageFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

const FormatInfo* format_of_spirv(std::uint32_t spirv_format) {
  const auto at = std::find_if(kFormats.begin(), kFormats.end(),
                               [&](const FormatInfo& info) { return info.spirv_format == spirv_format; });
  return at == kFormats.end() ? nullptr : &*at;
}

}  // namespace detail

std::string_view to_text(ImageFormat format) {
  return detail::is_format(format) ? detail::format_info(format).name : "unknown";
}
std::uint32_t texel_bytes(ImageFormat format) {
  return detail::is_format(format) ? detail::format_info(format).texel_bytes : 0;
}
std::uint32_t channel_count(ImageFormat format) {
  return detail::is_format(format) ? detail::format_info(format).channels : 0;
}

}  // namespace vkc
