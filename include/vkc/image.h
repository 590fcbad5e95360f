// Pictures that kernels read, write and sample: 2-D and 3-D images.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <vkc/device.h>
#include <vkc/error.h>
#include <vkc/extent.h>

namespace vkc {

namespace detail {
class ImageState;
}

// Channels, bits of each, and how a kernel sees them: `unorm` and `snorm` as float in [0, 1] and [-1, 1],
// `sfloat` as float, `uint` and `sint` as whole numbers. In host memory a texel is its channels one after
// another, in host byte order; half precision for sfloat of 16 bits.
enum class ImageFormat : std::uint8_t {
  r8_unorm,
  rg8_unorm,
  rgba8_unorm,
  r8_snorm,
  rg8_snorm,
  rgba8_snorm,
  r8_uint,
  rg8_uint,
  rgba8_uint,
  r8_sint,
  rg8_sint,
  rgba8_sint,
  r16_unorm,
  rg16_unorm,
  rgba16_unorm,
  r16_snorm,
  rg16_snorm,
  rgba16_snorm,
  r16_uint,
  rg16_uint,
  rgba16_uint,
  r16_sint,
  rg16_sint,
  rgba16_sint,
  r16_sfloat,
  rg16_sfloat,
  rgba16_sfloat,
  r32_uint,
  rg32_uint,
  rgba32_uint,
  r32_sint,
  rg32_sint,
  rgba32_sint,
  r32_sfloat,
  rg32_sfloat,
  rgba32_sfloat,
};

// Of numbers that are no format: "unknown" and 0.
std::string_view to_text(ImageFormat format);     // "rgba8_unorm"
std::uint32_t texel_bytes(ImageFormat format);    // 1 to 16
std::uint32_t channel_count(ImageFormat format);  // 1, 2 or 4

// What a device can do with images of a format.
struct ImageFormatSupport {
  bool storage = false;        // kernels read and write it
  bool sampled = false;        // kernels read it through a sampler, or texel by texel as a texture
  bool linear_filter = false;  // samplers may interpolate it
};
[[nodiscard]] ImageFormatSupport format_support(const PhysicalDevice& device, ImageFormat format);

enum class ImageUse : std::uint8_t {
  // RWTexture: read and written by kernels, texel by texel.
  storage,
  // Texture: only read by kernels, with samplers or without; filled by copies. The device may keep it in a
  // layout that is faster to read.
  sampled,
  // Both.
  storage_and_sampled,
};
std::string_view to_text(ImageUse use);  // "storage and sampled"

struct ImageOptions {
  ImageUse use = ImageUse::storage_and_sampled;
  std::string_view name = {};  // for debug tools and errors
};

// A shared handle on an image with memory of its own: one level, one layer, one sample. Commands that use it
// keep it alive. vkc keeps track of its layout: callers never see one. Copies from and to buffers, and
// between images, are in Commands; upload and download in <vkc/transfer.h>.
// Threads: the handle's members from any thread.
class Image {
 public:
  // Contents are undefined. The extent is 1 to limits.max_image_2d_px in each direction. Errors:
  // invalid_argument (an extent of 0; no such format or use), not_supported (the device cannot use the format
  // in this way; see format_support), limit_exceeded, out_of_memory, device_lost, vulkan.
  static Result<Image> create_2d(const Device& device, ImageFormat format, std::uint32_t width,
                                 std::uint32_t height, const ImageOptions& options = {});
  // The same in three dimensions, each 1 to limits.max_image_3d_px. A depth of 1 is still a 3-D image.
  static Result<Image> create_3d(const Device& device, ImageFormat format, const Extent& extent,
                                 const ImageOptions& options = {});

  [[nodiscard]] ImageFormat format() const;
  [[nodiscard]] const Extent& extent() const;      // depth 1 for 2-D images
  [[nodiscard]] std::uint32_t dimensions() const;  // 2 or 3
  [[nodiscard]] ImageUse use() const;
  // Of its texels in host memory or a buffer: rows without gaps.
  [[nodiscard]] std::uint64_t size_bytes() const;

  explicit Image(std::shared_ptr<detail::ImageState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::ImageState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::ImageState> state_;
};

// A box of texels. On a transfer queue, devices may ask for whole images or for multiples of some size, see
// Vulkan's minImageTransferGranularity.
struct ImageRegion {
  Offset offset = {};
  Extent extent = {};
};

}  // namespace vkc
