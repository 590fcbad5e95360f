#include <vkc/commands.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "vkc/commands_state.h"

namespace vkc {
namespace detail {
namespace {

void memory_barrier(const CommandsState& state, VkPipelineStageFlags after, VkAccessFlags for_access,
                    std::span<const VkImageMemoryBarrier> images = {}) {
  auto barrier = vk_struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = state.queue.writes();
  barrier.dstAccessMask = for_access;
  state.device->vk.CmdPipelineBarrier(state.handle, state.queue.stages(), after, 0, 1, &barrier, 0, nullptr,
                                      static_cast<std::uint32_t>(images.size()), images.data());
}

HazardTracker::Access access(const BufferRange& range, bool write) {
  return {range.state(), range.offset_bytes(), range.offset_bytes() + range.size_bytes(), write};
}

Status check_buffer(const CommandsState& commands, const BufferRange& range, std::string_view what) {
  if (range.state() == nullptr)
    return fail(ErrorCode::invalid_argument, std::string(what) + ": a range of no buffer");
  if (range.state()->device != commands.device) {
    return fail(ErrorCode::invalid_argument,
                std::string(what) + ": " + range.state()->described() + " is of another device");
  }
  return range.state()->check_range(range, what);
}

}  // namespace

CommandsState::CommandsState(std::shared_ptr<DeviceState> device, const CommandsOptions& options)
    : device(std::move(device)),
      queue(options.queue == Queue::transfer && this->device->has_transfer_queue()
                ? this->device->transfer_queue
                : this->device->compute_queue),
      wanted_queue(options.queue),
      barriers(options.barriers),
      name(options.name),
      descriptors(*this->device) {}

CommandsState::~CommandsState() { device->vk.DestroyCommandPool(device->handle, pool, nullptr); }

Status CommandsState::create() {
  if (auto ok = device->alive(); !ok) return ok;
  constexpr const char* kDoing = "creating commands";
  if (auto ok = check_enumerator(kDoing, "barriers", barriers, Barriers::manual, "Barriers"); !ok) return ok;
  if (auto ok = check_enumerator(kDoing, "queue", wanted_queue, Queue::transfer, "Queue"); !ok) return ok;
  auto pool_info = vk_struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool_info.queueFamilyIndex = queue.family;
  const VkResult result = device->vk.CreateCommandPool(device->handle, &pool_info, nullptr, &pool);
  if (auto ok = device->check(result, "vkCreateCommandPool"); !ok) return ok;
  if (auto ok = allocate(handle, name); !ok) return ok;
  return begin();
}

Status CommandsState::allocate(VkCommandBuffer& buffer, const std::string& buffer_name) {
  auto info = vk_struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  const VkResult result = device->vk.AllocateCommandBuffers(device->handle, &info, &buffer);
  if (auto ok = device->check(result, "vkAllocateCommandBuffers"); !ok) return ok;
  device->set_name(VK_OBJECT_TYPE_COMMAND_BUFFER, buffer, buffer_name);
  return {};
}

Status CommandsState::begin() {
  const auto info = vk_struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  if (auto ok = device->check(device->vk.BeginCommandBuffer(handle, &info), "vkBeginCommandBuffer"); !ok)
    return ok;
  recording = true;
  // Behind everything submitted earlier.
  if (barriers == Barriers::automatic) record_barrier();
  return {};
}

Status CommandsState::end() {
  if (!recording) return {};
  while (!away_.empty()) require_layout(*away_.back().first, away_.back().first->home);
  memory_barrier(*this, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  const Status ended = device->check(device->vk.EndCommandBuffer(handle), "vkEndCommandBuffer");
  if (ended) recording = false;
  return ended;
}

Status CommandsState::reset() {
  if (auto ok = device->alive(); !ok) return ok;
  if (auto ok = device->check(device->vk.ResetCommandPool(device->handle, pool, 0), "vkResetCommandPool");
      !ok)
    return ok;
  if (auto ok = descriptors.reset(); !ok) return ok;
  first_error_.reset();
  hazards_.clear();
  bound_kernel = nullptr;
  bound = nullptr;
  recent.clear();
  incoherent_buffers.clear();
  timestamps.clear();
  images_.clear();
  away_.clear();
  retained_.clear();
  return begin();
}

Status CommandsState::recordable() const {
  if (first_error_) return tl::unexpected(*first_error_);
  if (auto ok = device->alive(); !ok) return ok;
  if (!recording)
    return fail(ErrorCode::invalid_argument, "the commands were submitted; call reset() to record anew");
  return {};
}

Status CommandsState::keep(Status status) {
  // A recording that has ended is whole: the mistake of adding to it does not spoil it.
  if (!status && !first_error_ && recording) first_error_ = status.error();
  return status;
}

void CommandsState::record_barrier() {
  memory_barrier(*this, queue.stages(), queue.reads() | queue.writes());
  hazards_.clear();
}

void CommandsState::transition(ImageState& image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier barrier = layout_barrier(image, from, to);
  barrier.srcAccessMask = queue.writes();
  barrier.dstAccessMask = queue.reads() | queue.writes();
  memory_barrier(*this, queue.stages(), queue.reads() | queue.writes(), std::span(&barrier, 1));
  hazards_.clear();
}

void CommandsState::require_layout(ImageState& image, VkImageLayout layout) {
  const auto at =
      std::find_if(away_.begin(), away_.end(), [&](const auto& entry) { return entry.first == &image; });
  const VkImageLayout now = at == away_.end() ? image.home : at->second;
  if (now == layout) return;
  transition(image, now, layout);
  if (at == away_.end()) {
    away_.emplace_back(&image, layout);
  } else if (layout == image.home) {
    away_.erase(at);
  } else {
    at->second = layout;
  }
}

void CommandsState::order(std::span<const HazardTracker::Access> accesses) {
  if (barriers == Barriers::manual) return;
  if (hazards_.must_wait(accesses)) record_barrier();
  hazards_.remember(accesses);
}

void CommandsState::retain(const std::shared_ptr<const void>& object) {
  if (retained_.is_new(object.get())) retained_.keep(object);
}

void CommandsState::retain(BufferState& buffer) {
  if (!retained_.is_new(&buffer)) return;
  retained_.keep(buffer.shared_from_this());
  if (!buffer.coherent && buffer.mapped != nullptr) incoherent_buffers.push_back(buffer.shared_from_this());
}

void CommandsState::retain(ImageState& image) {
  if (!retained_.is_new(&image)) return;
  retained_.keep(image.shared_from_this());
  images_.push_back(&image);
}

void CommandsState::retain(SamplerState& sampler) {
  if (retained_.is_new(&sampler)) retained_.keep(sampler.shared_from_this());
}

// Images that no submission has used yet are in no layout at all.
Status CommandsState::record_prelude(std::span<ImageState* const> images) {
  if (prelude_ == VK_NULL_HANDLE) {
    if (auto ok = allocate(prelude_, name.empty() ? "" : name + " (first layouts)"); !ok) return ok;
  }
  std::vector<VkImageMemoryBarrier> barriers;
  for (const ImageState* image : images) {
    barriers.push_back(layout_barrier(*image, VK_IMAGE_LAYOUT_UNDEFINED, image->home));
    barriers.back().dstAccessMask = queue.reads() | queue.writes();
  }
  const DeviceFunctions& vk = device->vk;
  auto info = vk_struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (auto ok = device->check(vk.BeginCommandBuffer(prelude_, &info), "vkBeginCommandBuffer"); !ok) return ok;
  vk.CmdPipelineBarrier(prelude_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queue.stages(), 0, 0, nullptr, 0,
                        nullptr, static_cast<std::uint32_t>(barriers.size()), barriers.data());
  return device->check(vk.EndCommandBuffer(prelude_), "vkEndCommandBuffer");
}

Result<std::uint64_t> CommandsState::submit(std::span<const DeviceState::Wait> waits, VkFence fence) {
  if (images_.empty()) return device->submit(queue, std::array{handle}, waits, fence);
  // Held until the queue has the work: whoever finds an image submitted comes behind it.
  const std::lock_guard lock(device->images_mutex);
  std::vector<ImageState*> fresh;
  std::copy_if(images_.begin(), images_.end(), std::back_inserter(fresh),
               [](const ImageState* image) { return !image->submitted; });
  if (fresh.empty()) return device->submit(queue, std::array{handle}, waits, fence);
  if (auto ok = record_prelude(fresh); !ok) return propagate(ok);
  auto value = device->submit(queue, std::array{prelude_, handle}, waits, fence);
  if (value) {
    for (ImageState* image : fresh) image->submitted = true;
  }
  return value;
}

}  // namespace detail

Result<Commands> Commands::create(const Device& device, const CommandsOptions& options) {
  auto state = std::make_shared<detail::CommandsState>(device.state(), options);
  if (auto created = state->create(); !created) return detail::propagate(created);
  return Commands(std::move(state));
}

Commands::Commands(std::shared_ptr<detail::CommandsState> state) : state_(std::move(state)) {}
Commands::Commands(Commands&& other) noexcept = default;
Commands& Commands::operator=(Commands&& other) noexcept = default;
Commands::~Commands() = default;

Status Commands::copy(const BufferRange& from, const BufferRange& to) {
  return state_->keep([&]() -> Status {
    if (auto ok = state_->recordable(); !ok) return ok;
    if (auto ok = detail::check_buffer(*state_, from, "copy from"); !ok) return ok;
    if (auto ok = detail::check_buffer(*state_, to, "copy to"); !ok) return ok;
    if (from.size_bytes() != to.size_bytes()) {
      return detail::fail(ErrorCode::invalid_argument, "copy of " + std::to_string(from.size_bytes()) +
                                                           " bytes to a range of " +
                                                           std::to_string(to.size_bytes()));
    }
    const std::uint64_t distance = from.offset_bytes() > to.offset_bytes()
                                       ? from.offset_bytes() - to.offset_bytes()
                                       : to.offset_bytes() - from.offset_bytes();
    if (from.state() == to.state() && distance < from.size_bytes()) {
      return detail::fail(ErrorCode::invalid_argument,
                          "copy within " + from.state()->described() + ": the ranges overlap");
    }
    state_->order(std::array{detail::access(from, false), detail::access(to, true)});
    state_->retain(*from.state());
    state_->retain(*to.state());
    const VkBufferCopy region{from.offset_bytes(), to.offset_bytes(), from.size_bytes()};
    state_->device->vk.CmdCopyBuffer(state_->handle, from.state()->handle, to.state()->handle, 1, &region);
    return {};
  }());
}

namespace detail {
namespace {

constexpr std::uint32_t kOffsetMultiple = 4;

// A copy between a buffer and an image.
class ImageCopy {
 public:
  ImageCopy(CommandsState& commands, const BufferRange& range, ImageState& image, const ImageRegion& region,
            bool to_image)
      : commands_(commands), range_(range), image_(image), region_(region), to_image_(to_image) {}

  Status record() {
    if (auto ok = commands_.recordable(); !ok) return ok;
    if (auto ok = check_buffer(commands_, range_, what()); !ok) return ok;
    if (image_.device != commands_.device)
      return fail(ErrorCode::invalid_argument, what() + ": " + image_.described() + " is of another device");
    if (auto ok = image_.check_region(region_, what()); !ok) return ok;
    if (auto ok = check_range(); !ok) return ok;
    if (auto ok = check_granularity(); !ok) return ok;
    commands_.require_layout(image_, layout());
    commands_.order(std::array{access(range_, !to_image_), HazardTracker::Access{&image_, 0, 1, to_image_}});
    commands_.retain(*range_.state());
    commands_.retain(image_);
    record_copy();
    return {};
  }

 private:
  [[nodiscard]] std::string what() const { return to_image_ ? "copy to an image" : "copy from an image"; }
  [[nodiscard]] VkImageLayout layout() const {
    return to_image_ ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  }

  [[nodiscard]] Status check_range() const {
    const std::uint64_t needed = image_.region_bytes(region_.extent);
    if (range_.size_bytes() < needed) {
      return fail(ErrorCode::invalid_argument, what() + ": the region of " + image_.described() + " has " +
                                                   std::to_string(needed) + " bytes, the range of " +
                                                   range_.state()->described() + " only " +
                                                   std::to_string(range_.size_bytes()));
    }
    const std::uint32_t multiple = std::max(kOffsetMultiple, image_.format.texel_bytes);
    if (range_.offset_bytes() % multiple == 0) return {};
    return fail(ErrorCode::invalid_argument,
                what() + ": the offset of " + std::to_string(range_.offset_bytes()) + " bytes into " +
                    range_.state()->described() + " is not a multiple of " + std::to_string(multiple));
  }

  // Offsets and sizes are multiples, or a size reaches the image's end.
  [[nodiscard]] Status check_granularity() const {
    const VkExtent3D& step = commands_.queue.granularity;
    const auto fits = [](std::uint32_t offset, std::uint32_t size, std::uint32_t all,
                         std::uint32_t multiple) {
      if (multiple == 0) return offset == 0 && size == all;
      return offset % multiple == 0 && (size % multiple == 0 || offset + size == all);
    };
    const Extent& all = image_.extent;
    if (fits(region_.offset.x, region_.extent.width, all.width, step.width) &&
        fits(region_.offset.y, region_.extent.height, all.height, step.height) &&
        fits(region_.offset.z, region_.extent.depth, all.depth, step.depth)) {
      return {};
    }
    return fail(ErrorCode::limit_exceeded,
                what() + ": the transfer queue copies regions of " + image_.described() +
                    " only in multiples of its minImageTransferGranularity, " + std::to_string(step.width) +
                    "x" + std::to_string(step.height) + "x" + std::to_string(step.depth) +
                    " (0: whole images); copy all of it, or use the compute queue");
  }

  void record_copy() const {
    VkBufferImageCopy copy{};
    copy.bufferOffset = range_.offset_bytes();
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageOffset = {static_cast<std::int32_t>(region_.offset.x),
                        static_cast<std::int32_t>(region_.offset.y),
                        static_cast<std::int32_t>(region_.offset.z)};
    copy.imageExtent = {region_.extent.width, region_.extent.height, region_.extent.depth};
    const DeviceFunctions& vk = commands_.device->vk;
    if (to_image_) {
      vk.CmdCopyBufferToImage(commands_.handle, range_.state()->handle, image_.handle, layout(), 1, &copy);
    } else {
      vk.CmdCopyImageToBuffer(commands_.handle, image_.handle, layout(), range_.state()->handle, 1, &copy);
    }
  }

  CommandsState& commands_;
  const BufferRange& range_;
  ImageState& image_;
  const ImageRegion& region_;
  bool to_image_;
};

Status copy_image(CommandsState& commands, ImageState& from, ImageState& to) {
  if (auto ok = commands.recordable(); !ok) return ok;
  const std::string what = "copy from " + from.described() + " to " + to.described();
  if (from.device != commands.device || to.device != commands.device)
    return fail(ErrorCode::invalid_argument, what + ": one is of another device");
  if (&from == &to) return fail(ErrorCode::invalid_argument, what + ": they are the same");
  if (from.format.format != to.format.format || from.extent != to.extent || from.dimensions != to.dimensions)
    return fail(ErrorCode::invalid_argument, what + ": they differ in format, extent or dimensions");
  constexpr VkImageLayout kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  constexpr VkImageLayout kTarget = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  commands.require_layout(from, kSource);
  commands.require_layout(to, kTarget);
  commands.order(
      std::array{HazardTracker::Access{&from, 0, 1, false}, HazardTracker::Access{&to, 0, 1, true}});
  commands.retain(from);
  commands.retain(to);
  VkImageCopy copy{};
  copy.srcSubresource = copy.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.extent = {from.extent.width, from.extent.height, from.extent.depth};
  commands.device->vk.CmdCopyImage(commands.handle, from.handle, kSource, to.handle, kTarget, 1, &copy);
  return {};
}

}  // namespace
}  // namespace detail

Status Commands::copy(const BufferRange& from, const Image& to) { return copy(from, to, {{}, to.extent()}); }

Status Commands::copy(const BufferRange& from, const Image& to, const ImageRegion& region) {
  return state_->keep(detail::ImageCopy(*state_, from, *to.state(), region, true).record());
}

Status Commands::copy(const Image& from, const BufferRange& to) {
  return copy(from, to, {{}, from.extent()});
}

Status Commands::copy(const Image& from, const BufferRange& to, const ImageRegion& region) {
  return state_->keep(detail::ImageCopy(*state_, to, *from.state(), region, false).record());
}

Status Commands::copy(const Image& from, const Image& to) {
  return state_->keep(detail::copy_image(*state_, *from.state(), *to.state()));
}

Status Commands::fill(const BufferRange& range, std::uint32_t value) {
  return state_->keep([&]() -> Status {
    if (auto ok = state_->recordable(); !ok) return ok;
    if (auto ok = detail::check_buffer(*state_, range, "fill"); !ok) return ok;
    if (range.offset_bytes() % 4 != 0 || range.size_bytes() % 4 != 0) {
      return detail::fail(ErrorCode::invalid_argument, "fill of " + range.state()->described() +
                                                           ": offset and size must be multiples of 4 bytes");
    }
    state_->order(std::array{detail::access(range, true)});
    state_->retain(*range.state());
    state_->device->vk.CmdFillBuffer(state_->handle, range.state()->handle, range.offset_bytes(),
                                     range.size_bytes(), value);
    return {};
  }());
}

Status Commands::barrier() {
  if (!state_->is_recordable()) return state_->keep(state_->recordable());
  state_->record_barrier();
  return {};
}

Status Commands::write_timestamp(const Timestamps& timestamps, std::uint32_t index) {
  return state_->keep([&]() -> Status {
    if (auto ok = state_->recordable(); !ok) return ok;
    const auto& target = timestamps.state();
    if (target->device != state_->device)
      return detail::fail(ErrorCode::invalid_argument, "timestamps of another device");
    if (state_->wanted_queue == Queue::transfer)
      return detail::fail(ErrorCode::not_supported, "timestamps are written on the compute queue only");
    if (auto ok = target->check_entry(index); !ok) return ok;
    state_->retain(target);
    state_->timestamps.emplace_back(target, index);
    const auto& vk = state_->device->vk;
    vk.CmdResetQueryPool(state_->handle, target->handle, index, 1);
    vk.CmdWriteTimestamp(state_->handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, target->handle, index);
    return {};
  }());
}

}  // namespace vkc
