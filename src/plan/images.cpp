#include "plan/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plan/blocks.h"

namespace upres::plan {
namespace {

std::vector<size_t> deepest_first(std::span<const ImageUse> uses) {
  std::vector<size_t> order(uses.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](size_t index) { return uses[index].needs.extent.depth; });
  return order;
}

bool can_hold(const ImageDescription& image, const ImageDescription& needs) {
  return image.dtype == needs.dtype && image.extent.width == needs.extent.width &&
         image.extent.height == needs.extent.height && image.extent.depth >= needs.extent.depth;
}

}  // namespace

uint64_t ImageDescription::size_bytes() const {
  constexpr uint64_t kChannels = 4;
  return kChannels * upres::size_bytes(dtype) * extent.width * extent.height * extent.depth;
}

ImagePlaces place_images(std::span<const ImageUse> uses) {
  ImagePlaces places;
  places.image_of.resize(uses.size());
  std::vector<std::vector<Lifetime>> taken;  // by image
  for (const size_t index : deepest_first(uses)) {
    const ImageUse& use = uses[index];
    const auto is_free = [&](uint32_t image) {
      return can_hold(places.images[image], use.needs) &&
             std::ranges::none_of(taken[image],
                                  [&](const Lifetime& other) { return alive_together(use.lifetime, other); });
    };
    uint32_t image = 0;
    while (image < places.images.size() && !is_free(image)) ++image;
    if (image == places.images.size()) {
      places.images.push_back(use.needs);
      taken.emplace_back();
    }
    taken[image].push_back(use.lifetime);
    places.image_of[index] = image;
  }
  return places;
}

Status check_image(const graph::Value& value, const ImageDescription& image,
                   const kernels::DeviceLimits& limits) {
  const kernels::TexelExtent& extent = image.extent;
  const uint32_t largest = std::max({extent.width, extent.height, extent.depth});
  const std::string what = fmt::format("tensor '{}' as an image of {}x{}x{} texels", value.name, extent.width,
                                       extent.height, extent.depth);
  if (largest > limits.max_image_dimension_3d) {
    return fail(ErrorCode::device,
                fmt::format("{} is beyond the device's max_image_dimension_3d of {}: use smaller tiles", what,
                            limits.max_image_dimension_3d));
  }
  // In floating point first: a device's limit may allow what overflows 64 bits.
  const double about = 16.0 * extent.width * extent.height * extent.depth;
  constexpr uint64_t kHuge = uint64_t{1} << 62;
  const uint64_t bytes = about < static_cast<double>(kHuge) ? image.size_bytes() : kHuge;
  if (bytes < kHuge && bytes <= limits.max_buffer_bytes) return {};
  return fail(ErrorCode::device,
              fmt::format("{} has {}, beyond the device's max_buffer_bytes of {}: use smaller tiles", what,
                          bytes_text(bytes), limits.max_buffer_bytes));
}

}  // namespace upres::plan
