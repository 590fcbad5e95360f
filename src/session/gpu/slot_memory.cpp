#include "session/gpu/slot_memory.h"

#include <algorithm>
#include <array>
#include <string>

#include "plan/memory.h"
#include "session/gpu/vkc_error.h"

namespace upres::session {
namespace {

// A NaN, and as two numbers of half precision two.
constexpr uint32_t kQuietNan = 0x7fc07fc0;
// Fills count in words.
constexpr uint64_t kWordBytes = 4;

uint64_t whole_words(uint64_t bytes) { return plan::align_up(bytes, kWordBytes); }

bool shares_memory(const vkc::Device& device) {
  const vkc::DeviceType type = device.properties().type;
  return type == vkc::DeviceType::integrated || type == vkc::DeviceType::software;
}

vkc::ImageFormat format_of(const plan::ImageDescription& image) {
  return image.dtype == DType::f16 ? vkc::ImageFormat::rgba16_sfloat : vkc::ImageFormat::rgba32_sfloat;
}

vkc::Extent extent_of(const plan::ImageDescription& image) {
  return {image.extent.width, image.extent.height, image.extent.depth};
}

bool is(const vkc::Image& image, const plan::ImageDescription& wanted) {
  return image.format() == format_of(wanted) && image.extent() == extent_of(wanted);
}

void poison_all(vkc::Commands& commands, const std::optional<vkc::Buffer>& buffer) {
  if (buffer) (void)commands.fill(*buffer, kQuietNan);
}

}  // namespace

SlotMemory::SlotMemory(const vkc::Device& device, bool always_copy, bool poison)
    : device_(device), shared_memory_(!always_copy && shares_memory(device)), poison_(poison) {}

Status SlotMemory::reserve(std::optional<vkc::Buffer>& buffer, uint64_t size_bytes, vkc::MemoryKind kind,
                           std::string_view name) {
  if (size_bytes == 0 || (buffer && buffer->size_bytes() >= size_bytes)) return {};
  buffer.reset();
  auto made = vkc::Buffer::create(device_, whole_words(size_bytes), kind, name);
  if (!made) return device_error(made.error(), "making memory for a window's " + std::string(name));
  buffer = std::move(*made);
  return {};
}

Status SlotMemory::reserve(const plan::Plan& plan) {
  using Kind = vkc::MemoryKind;
  const uint64_t staged_input = shared_memory_ ? 0 : plan.input_bytes;
  const uint64_t staged_output = shared_memory_ ? 0 : plan.output_bytes;
  if (auto status = reserve(upload_, plan.input_bytes, Kind::upload, "inputs"); !status) return status;
  if (auto status = reserve(input_, staged_input, Kind::device, "inputs"); !status) return status;
  if (auto status = reserve(scratch_, plan.scratch_bytes, Kind::device, "scratch"); !status) return status;
  if (auto status = reserve(output_, staged_output, Kind::device, "outputs"); !status) return status;
  if (auto status = reserve(download_, plan.output_bytes, Kind::download, "outputs"); !status) return status;
  if (auto status = reserve_images(plan); !status) return status;
  return poison_ ? reserve_poison(plan) : Status();
}

// Those of the plan before that fit are used again; the others go first, so that there is room.
Status SlotMemory::reserve_images(const plan::Plan& plan) {
  std::vector<std::optional<vkc::Image>> images;
  for (const plan::ImageDescription& wanted : plan.images) {
    const auto known =
        std::ranges::find_if(images_, [&](const vkc::Image& image) { return is(image, wanted); });
    images.push_back(known == images_.end() ? std::nullopt : std::optional(*known));
    if (known != images_.end()) images_.erase(known);
  }
  images_.clear();
  for (size_t i = 0; i < images.size(); ++i) {
    if (!images[i]) {
      const plan::ImageDescription& wanted = plan.images[i];
      auto made = vkc::Image::create_3d(device_, format_of(wanted), extent_of(wanted),
                                        {.use = vkc::ImageUse::storage, .name = "activations"});
      if (!made) return device_error(made.error(), "making an image for a window's activations");
      images[i] = std::move(*made);
    }
    images_.push_back(std::move(*images[i]));
  }
  return {};
}

Status SlotMemory::reserve_poison(const plan::Plan& plan) {
  uint64_t most_bytes = 0;
  for (const plan::ImageDescription& image : plan.images)
    most_bytes = std::max(most_bytes, image.size_bytes());
  return reserve(nan_, most_bytes, vkc::MemoryKind::device, "poison");
}

uint64_t SlotMemory::size_bytes() const {
  uint64_t bytes = 0;
  for (const vkc::Image& image : images_) bytes += image.size_bytes();
  for (const auto* buffer : {&upload_, &input_, &scratch_, &output_, &download_}) {
    if (*buffer) bytes += (*buffer)->size_bytes();
  }
  return bytes;
}

std::span<std::byte> SlotMemory::host_input() const {
  return upload_ ? upload_->mapped() : std::span<std::byte>();
}

std::span<const std::byte> SlotMemory::host_output() const {
  return download_ ? download_->mapped() : std::span<std::byte>();
}

vkc::BufferRange SlotMemory::range(const plan::Resource& resource) const {
  const auto of = [&](const vkc::Buffer& buffer) {
    return buffer.range(resource.offset_bytes, resource.size_bytes);
  };
  switch (resource.kind) {
    case plan::ResourceKind::scratch:
      return of(*scratch_);
    case plan::ResourceKind::output:
      return of(shared_memory_ ? *download_ : *output_);
    default:
      return of(shared_memory_ ? *upload_ : *input_);
  }
}

vkc::Resource SlotMemory::resource(const plan::Resource& resource) const {
  if (resource.kind == plan::ResourceKind::image) return images_[resource.image];
  return range(resource);
}

void SlotMemory::record_poison(vkc::Commands& commands) const {
  poison_all(commands, scratch_);
  poison_all(commands, shared_memory_ ? download_ : output_);
  poison_all(commands, nan_);
  (void)commands.barrier();
  for (const vkc::Image& image : images_) (void)commands.copy(nan_->range(0, image.size_bytes()), image);
  (void)commands.barrier();
}

void SlotMemory::record_begin(vkc::Commands& commands, const plan::Plan& plan) const {
  // Commands keeps the first error and submit() returns it.
  (void)commands.barrier();
  if (input_) (void)commands.copy(upload_->range(0, plan.input_bytes), input_->range(0, plan.input_bytes));
  if (poison_) record_poison(commands);
  for (const plan::Resource& resource : plan.resources) {
    if (resource.zeroed) (void)commands.fill(range(resource), 0);
  }
  (void)commands.barrier();
}

void SlotMemory::record_end(vkc::Commands& commands, const plan::Plan& plan) const {
  if (!output_ || plan.output_bytes == 0) return;
  (void)commands.barrier();
  (void)commands.copy(output_->range(0, plan.output_bytes), download_->range(0, plan.output_bytes));
}

}  // namespace upres::session
