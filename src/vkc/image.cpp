#include <vkc/image.h>

#include <array>

#include "vkc/image_state.h"

namespace vkc {
namespace detail {
namespace {

constexpr VkImageSubresourceRange kWhole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

VkFormatFeatureFlags format_features(const PhysicalDevice& device, VkFormat format) {
  VkFormatProperties properties{};
  device.state()->instance->functions.GetPhysicalDeviceFormatProperties(device.state()->handle, format,
                                                                        &properties);
  return properties.optimalTilingFeatures;
}

std::string extent_text(const Extent& extent, std::uint32_t dimensions) {
  const std::string text = std::to_string(extent.width) + "x" + std::to_string(extent.height);
  return dimensions == 2 ? text : text + "x" + std::to_string(extent.depth);
}

}  // namespace

VkImageMemoryBarrier layout_barrier(const ImageState& image, VkImageLayout from, VkImageLayout to) {
  auto barrier = vk_struct<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle;
  barrier.subresourceRange = kWhole;
  return barrier;
}

ImageState::ImageState(std::shared_ptr<DeviceState> device, const FormatInfo& format,
                       std::uint32_t dimensions, const Extent& extent, const ImageOptions& options)
    : device(std::move(device)),
      format(format),
      dimensions(dimensions),
      extent(extent),
      use(options.use),
      name(options.name),
      home(use == ImageUse::sampled ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_GENERAL) {}

ImageState::~ImageState() {
  device->vk.DestroyImageView(device->handle, view, nullptr);
  device->vk.DestroyImage(device->handle, handle, nullptr);
}

std::string ImageState::described() const { return name.empty() ? "an image" : "image " + in_quotes(name); }

std::uint64_t ImageState::region_bytes(const Extent& region) const {
  return std::uint64_t{region.width} * region.height * region.depth * format.texel_bytes;
}

Status ImageState::check_region(const ImageRegion& region, std::string_view what) const {
  const auto inside = [](std::uint32_t offset, std::uint32_t size, std::uint32_t all) {
    return size > 0 && offset < all && size <= all - offset;
  };
  if (inside(region.offset.x, region.extent.width, extent.width) &&
      inside(region.offset.y, region.extent.height, extent.height) &&
      inside(region.offset.z, region.extent.depth, extent.depth)) {
    return {};
  }
  const Offset& at = region.offset;
  return fail(ErrorCode::invalid_argument,
              std::string(what) + ": the region of " + extent_text(region.extent, 3) + " at " +
                  std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) +
                  " is not inside " + described() + " of " + extent_text(extent, dimensions));
}

VkImageCreateInfo ImageState::create_info() const {
  auto info = vk_struct<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = dimensions == 2 ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_3D;
  info.format = format.vk_format;
  info.extent = {extent.width, extent.height, extent.depth};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (has_storage()) info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  if (has_sampled()) info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  device->share_among_queues(info);
  info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  return info;
}

Status ImageState::check_extent() const {
  const std::array sizes = {extent.width, extent.height, extent.depth};
  const std::uint32_t most =
      dimensions == 2 ? device->limits().max_image_2d_px : device->limits().max_image_3d_px;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) {
      return fail(ErrorCode::invalid_argument,
                  described() + " of " + extent_text(extent, dimensions) + " texels");
    }
    if (sizes[i] > most) {
      return tl::unexpected(limit_error(std::array{"width", "height", "depth"}[i] + (" of " + described()),
                                        sizes[i], dimensions == 2 ? "max_image_2d_px" : "max_image_3d_px",
                                        most));
    }
  }
  return {};
}

// Whether the device has the format for this use, and images of it this large.
Status ImageState::check_format() {
  const PhysicalDevice::State& physical = *device->physical.state();
  const VkFormatFeatureFlags features = format_features(device->physical, format.vk_format);
  const bool stores = (features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) != 0;
  const bool samples = (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0;
  linear_filter = (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
  const std::string what = described() + " of format " + std::string(format.name);
  const VkImageCreateInfo info = create_info();
  VkImageFormatProperties properties{};
  const VkResult result = (has_storage() && !stores) || (has_sampled() && !samples)
                              ? VK_ERROR_FORMAT_NOT_SUPPORTED
                              : physical.instance->functions.GetPhysicalDeviceImageFormatProperties(
                                    physical.handle, info.format, info.imageType, info.tiling, info.usage,
                                    info.flags, &properties);
  if (result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
    return fail(ErrorCode::not_supported, what + ": the device has no " + std::to_string(dimensions) +
                                              "-D images of this format for " + std::string(to_text(use)) +
                                              " use; format_support() tells what it has");
  }
  if (auto ok = device->check(result, "vkGetPhysicalDeviceImageFormatProperties for " + what); !ok) return ok;
  if (size_bytes() > properties.maxResourceSize) {
    return tl::unexpected(limit_error("size in bytes of " + what, size_bytes(),
                                      "maximum for such images, maxResourceSize",
                                      properties.maxResourceSize));
  }
  return {};
}

Status ImageState::create() {
  if (auto ok = device->alive(); !ok) return ok;
  if (auto ok = check_extent(); !ok) return ok;
  if (auto ok = check_format(); !ok) return ok;
  const VkImageCreateInfo info = create_info();
  VkResult result = device->vk.CreateImage(device->handle, &info, nullptr, &handle);
  if (auto ok = device->check(
          result, "creating " + described() + " of " + extent_text(extent, dimensions) + " texels");
      !ok)
    return ok;
  device->set_name(VK_OBJECT_TYPE_IMAGE, handle, name);
  VkMemoryRequirements needs{};
  device->vk.GetImageMemoryRequirements(device->handle, handle, &needs);
  if (needs.size > device->limits().max_memory_allocation_bytes) {
    return tl::unexpected(limit_error("size in bytes of " + described(), needs.size,
                                      "max_memory_allocation_bytes",
                                      device->limits().max_memory_allocation_bytes));
  }
  auto memory = DeviceMemory::allocate(*device, needs, MemoryKind::device, handle, described());
  if (!memory) return propagate(memory);
  memory_ = std::move(*memory);
  result = device->vk.BindImageMemory(device->handle, handle, memory_.handle(), 0);
  if (auto ok = device->check(result, "vkBindImageMemory"); !ok) return ok;
  return create_view();
}

Status ImageState::create_view() {
  auto info = vk_struct<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  info.image = handle;
  info.viewType = dimensions == 2 ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_3D;
  info.format = format.vk_format;
  info.subresourceRange = kWhole;
  const VkResult result = device->vk.CreateImageView(device->handle, &info, nullptr, &view);
  return device->check(result, "vkCreateImageView");
}

}  // namespace detail

namespace {

Result<Image> create(const Device& device, ImageFormat format, std::uint32_t dimensions, const Extent& extent,
                     const ImageOptions& options) {
  const std::string doing = "creating an image";
  if (auto ok = detail::check_enumerator(doing, "format", format, detail::kLastFormat, "ImageFormat"); !ok)
    return detail::propagate(ok);
  if (auto ok =
          detail::check_enumerator(doing, "use", options.use, ImageUse::storage_and_sampled, "ImageUse");
      !ok)
    return detail::propagate(ok);
  auto state = std::make_shared<detail::ImageState>(device.state(), detail::format_info(format), dimensions,
                                                    extent, options);
  if (auto created = state->create(); !created) return detail::propagate(created);
  return Image(std::move(state));
}

}  // namespace

Result<Image> Image::create_2d(const Device& device, ImageFormat format, std::uint32_t width,
                               std::uint32_t height, const ImageOptions& options) {
  return create(device, format, 2, {width, height, 1}, options);
}

Result<Image> Image::create_3d(const Device& device, ImageFormat format, const Extent& extent,
                               const ImageOptions& options) {
  return create(device, format, 3, extent, options);
}

ImageFormat Image::format() const { return state_->format.format; }
const Extent& Image::extent() const { return state_->extent; }
std::uint32_t Image::dimensions() const { return state_->dimensions; }
ImageUse Image::use() const { return state_->use; }
std::uint64_t Image::size_bytes() const { return state_->size_bytes(); }

ImageFormatSupport format_support(const PhysicalDevice& device, ImageFormat format) {
  if (!detail::is_format(format)) return {};
  const VkFormatFeatureFlags features =
      detail::format_features(device, detail::format_info(format).vk_format);
  return {(features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) != 0,
          (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0,
          (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0};
}

std::string_view to_text(ImageUse use) {
  switch (use) {
    case ImageUse::storage:
      return "storage";
    case ImageUse::sampled:
      return "sampled";
    case ImageUse::storage_and_sampled:
      break;
  }
  return "storage and sampled";
}

}  // namespace vkc
