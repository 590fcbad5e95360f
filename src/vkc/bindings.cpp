#include "vkc/bindings.h"

#include "vkc/buffer_state.h"
#include "vkc/image_state.h"
#include "vkc/sampler_state.h"

namespace vkc::detail {
namespace {

class BindingCheck {
 public:
  BindingCheck(const KernelState& kernel, const KernelSlot& slot, const Resource& resource)
      : kernel_(kernel), slot_(slot), resource_(resource), limits_(kernel.device->limits()) {}

  [[nodiscard]] Status check() const {
    switch (slot_.type) {
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        return check_buffer(limits_.max_storage_buffer_range_bytes, "max_storage_buffer_range_bytes",
                            limits_.min_storage_buffer_offset_alignment_bytes,
                            "min_storage_buffer_offset_alignment_bytes");
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        return check_buffer(limits_.max_uniform_buffer_range_bytes, "max_uniform_buffer_range_bytes",
                            limits_.min_uniform_buffer_offset_alignment_bytes,
                            "min_uniform_buffer_offset_alignment_bytes");
      case VK_DESCRIPTOR_TYPE_SAMPLER:
        return check_sampler();
      case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        if (auto ok = check_image(); !ok) return ok;
        if (auto ok = check_sampler(); !ok) return ok;
        return check_sampled(kernel_, slot_.name, *resource_.image(), *resource_.sampler());
      default:
        return check_image();
    }
  }

 private:
  // Text is made only for errors: the checks are done for every binding of every dispatch.
  [[nodiscard]] std::string what() const {
    return "kernel " + in_quotes(kernel_.name) + ": binding " + in_quotes(slot_.name);
  }
  [[nodiscard]] tl::unexpected<Error> error(const std::string& text) const {
    return fail(ErrorCode::invalid_argument, what() + text);
  }
  [[nodiscard]] tl::unexpected<Error> wrong_kind(const char* wanted) const {
    const bool image = resource_.image() != nullptr, sampler = resource_.sampler() != nullptr;
    const char* given = image && sampler ? "an image with a sampler"
                        : image          ? "an image"
                        : sampler        ? "a sampler"
                        : has_buffer()   ? "a buffer"
                                         : "a range of no buffer";
    return error(std::string(" wants ") + wanted + ", and " + given + " is given");
  }
  [[nodiscard]] bool has_buffer() const { return resource_.buffer_range().state() != nullptr; }
  [[nodiscard]] tl::unexpected<Error> foreign(const std::string& described) const {
    return error(": " + described + " is of another device");
  }

  [[nodiscard]] Status check_buffer(std::uint64_t largest, const char* largest_name, std::uint64_t alignment,
                                    const char* alignment_name) const {
    const BufferRange& range = resource_.buffer_range();
    if (range.state() == nullptr) return wrong_kind("a buffer");
    const BufferState& buffer = *range.state();
    if (buffer.device != kernel_.device) return foreign(buffer.described());
    const bool inside = range.size_bytes() > 0 && range.offset_bytes() <= buffer.size_bytes &&
                        range.size_bytes() <= buffer.size_bytes - range.offset_bytes();
    if (!inside) return buffer.check_range(range, what());
    if (range.size_bytes() < slot_.least_range_bytes) {
      return error(": a range of " + std::to_string(range.size_bytes()) + " bytes, the block has " +
                   (slot_.grows ? "at least " : "") + std::to_string(slot_.least_range_bytes));
    }
    if (range.size_bytes() > largest)
      return tl::unexpected(
          limit_error(what() + ": a range in bytes", range.size_bytes(), largest_name, largest));
    // A power of two, says the specification.
    if ((range.offset_bytes() & (alignment - 1)) == 0) return {};
    return fail(ErrorCode::limit_exceeded, what() + ": the offset of " +
                                               std::to_string(range.offset_bytes()) +
                                               " bytes is not a multiple of the device's " + alignment_name +
                                               " of " + std::to_string(alignment));
  }

  [[nodiscard]] Status check_image() const {
    const bool combined = slot_.type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    if (resource_.image() == nullptr || (!combined && resource_.sampler() != nullptr))
      return wrong_kind(combined ? "an image with its sampler" : "an image");
    const ImageState& image = *resource_.image();
    if (image.device != kernel_.device) return foreign(image.described());
    const bool storage = slot_.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    if (storage ? !image.has_storage() : !image.has_sampled()) {
      return error(std::string(storage ? " is a storage image" : " is a sampled image") + ", and " +
                   image.described() + " was made for " + std::string(to_text(image.use)) + " use only");
    }
    if (slot_.dimensions != image.dimensions) {
      return error(" is a " + std::to_string(slot_.dimensions) + "-D image in the kernel, and " +
                   image.described() + " is " + std::to_string(image.dimensions) + "-D");
    }
    return check_format(image);
  }

  [[nodiscard]] Status check_format(const ImageState& image) const {
    if (slot_.format != nullptr && slot_.format != &image.format) {
      return error(" is declared with format " + std::string(slot_.format->name) + ", and " +
                   image.described() + " has " + std::string(image.format.name));
    }
    if (slot_.texel_kind == image.format.kind) return {};
    return error(" is read as " + std::string(to_text(slot_.texel_kind)) + " in the kernel, and " +
                 image.described() + " of format " + std::string(image.format.name) + " holds " +
                 std::string(to_text(image.format.kind)));
  }

  [[nodiscard]] Status check_sampler() const {
    const bool combined = slot_.type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    if (resource_.sampler() == nullptr || (!combined && resource_.image() != nullptr))
      return wrong_kind(combined ? "an image with its sampler" : "a sampler");
    const SamplerState& sampler = *resource_.sampler();
    if (sampler.device != kernel_.device) return foreign(sampler.described());
    return {};
  }

  const KernelState& kernel_;
  const KernelSlot& slot_;
  const Resource& resource_;
  const DeviceLimits& limits_;
};

}  // namespace

Status check_binding(const KernelState& kernel, const KernelSlot& slot, const Resource& resource) {
  return BindingCheck(kernel, slot, resource).check();
}

Status check_sampled(const KernelState& kernel, std::string_view binding, const ImageState& image,
                     const SamplerState& sampler) {
  const auto error = [&](const std::string& text) {
    return fail(ErrorCode::invalid_argument, "kernel " + in_quotes(kernel.name) + ": binding " +
                                                 in_quotes(binding) + ": " + sampler.described() + text);
  };
  if (sampler.filter == Filter::linear && !image.linear_filter) {
    return error(" interpolates, which the device cannot do in " + image.described() + " of format " +
                 std::string(image.format.name) + "; use Filter::nearest or another format");
  }
  if (sampler.coordinates == Coordinates::texels && image.dimensions != 2) {
    return error(" takes coordinates in texels, which works for 2-D images only, and " + image.described() +
                 " is 3-D");
  }
  return {};
}

}  // namespace vkc::detail
