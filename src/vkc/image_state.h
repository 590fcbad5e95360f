// What an Image handle refers to.
#pragma once

#include <memory>
#include <string>

#include <vkc/image.h>

#include "vkc/device_memory.h"
#include "vkc/device_state.h"
#include "vkc/image_formats.h"

namespace vkc::detail {

// Layouts: between recordings every image that has ever been submitted is in its `home` layout. A recording
// finds it there, and leaves it there (CommandsState::end); the first submission that uses an image brings it
// there (Commands::submit). So recordings may be made in any order, on any thread, and submitted again.
class ImageState : public std::enable_shared_from_this<ImageState> {
 public:
  ImageState(std::shared_ptr<DeviceState> device, const FormatInfo& format, std::uint32_t dimensions,
             const Extent& extent, const ImageOptions& options);
  ImageState(const ImageState&) = delete;
  ImageState& operator=(const ImageState&) = delete;
  ~ImageState();

  Status create();

  // `image "picture"` or `an image`, for messages.
  [[nodiscard]] std::string described() const;
  [[nodiscard]] std::uint64_t size_bytes() const { return region_bytes(extent); }
  [[nodiscard]] std::uint64_t region_bytes(const Extent& region) const;
  // Whether the region is not empty and lies inside. Errors: invalid_argument, with `what` in front.
  [[nodiscard]] Status check_region(const ImageRegion& region, std::string_view what) const;
  [[nodiscard]] bool has_storage() const { return use != ImageUse::sampled; }
  [[nodiscard]] bool has_sampled() const { return use != ImageUse::storage; }

  std::shared_ptr<DeviceState> device;
  const FormatInfo& format;
  std::uint32_t dimensions;
  Extent extent;
  ImageUse use;
  std::string name;
  VkImageLayout home;
  bool linear_filter = false;  // samplers may interpolate it
  bool submitted = false;      // is in its home layout; under DeviceState::images_mutex
  VkImage handle = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;

 private:
  [[nodiscard]] VkImageCreateInfo create_info() const;
  [[nodiscard]] Status check_extent() const;
  [[nodiscard]] Status check_format();
  Status create_view();
  DeviceMemory memory_;
};

// The widest image barrier: the layout of all of it.
VkImageMemoryBarrier layout_barrier(const ImageState& image, VkImageLayout from, VkImageLayout to);

}  // namespace vkc::detail
