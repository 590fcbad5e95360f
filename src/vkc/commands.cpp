#include <vkc/commands.h>

#include <algorithm>
#include <array>
#include <span>

#include "vkc/commands_state.h"

namespace vkc {
namespace detail {
namespace {

constexpr std::uint32_t kSetsPerPool = 256;
constexpr std::uint32_t kDescriptorsPerSet = 6;

constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kReads =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

void memory_barrier(const CommandsState& state, VkPipelineStageFlags after, VkAccessFlags for_access) {
  auto barrier = vk_struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = kWrites;
  barrier.dstAccessMask = for_access;
  state.device->vk.CmdPipelineBarrier(state.handle, kWork, after, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

HazardTracker::Access access(const BufferRange& range, bool write) {
  return {range.state(), range.offset_bytes(), range.offset_bytes() + range.size_bytes(), write};
}

Status check_buffer(const CommandsState& commands, const BufferRange& range, std::string_view what) {
  if (range.state()->device != commands.device) {
    return fail(ErrorCode::invalid_argument,
                std::string(what) + ": " + range.state()->described() + " is of another device");
  }
  return range.state()->check_range(range, what);
}

}  // namespace

DescriptorPools::~DescriptorPools() {
  for (VkDescriptorPool pool : pools_) device_.vk.DestroyDescriptorPool(device_.handle, pool, nullptr);
}

Status DescriptorPools::add_pool(std::uint32_t descriptors) {
  const std::uint32_t count = std::max(kSetsPerPool * kDescriptorsPerSet, descriptors);
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, count}};
  auto info = vk_struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = kSetsPerPool;
  info.poolSizeCount = 2;
  info.pPoolSizes = sizes;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  const VkResult result = device_.vk.CreateDescriptorPool(device_.handle, &info, nullptr, &pool);
  if (auto ok = device_.check(result, "vkCreateDescriptorPool"); !ok) return ok;
  pools_.push_back(pool);
  return {};
}

Status DescriptorPools::allocate(std::span<const VkDescriptorSetLayout> layouts, std::uint32_t largest,
                                 std::vector<VkDescriptorSet>& sets) {
  sets.resize(layouts.size());
  if (layouts.empty()) return {};
  auto info = vk_struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  info.descriptorSetCount = static_cast<std::uint32_t>(layouts.size());
  info.pSetLayouts = layouts.data();
  while (true) {
    const bool is_new = current_ == pools_.size();
    if (is_new) {
      if (auto ok = add_pool(largest); !ok) return ok;
    }
    info.descriptorPool = pools_[current_];
    const VkResult result = device_.vk.AllocateDescriptorSets(device_.handle, &info, sets.data());
    const bool full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
    if (!full || is_new) return device_.check(result, "vkAllocateDescriptorSets");
    ++current_;
  }
}

Status DescriptorPools::reset() {
  for (VkDescriptorPool pool : pools_) {
    const VkResult result = device_.vk.ResetDescriptorPool(device_.handle, pool, 0);
    if (auto ok = device_.check(result, "vkResetDescriptorPool"); !ok) return ok;
  }
  current_ = 0;
  return {};
}

CommandsState::~CommandsState() { device->vk.DestroyCommandPool(device->handle, pool, nullptr); }

Status CommandsState::create() {
  if (auto ok = device->alive(); !ok) return ok;
  auto pool_info = vk_struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool_info.queueFamilyIndex = device->physical.state()->queue_family;
  VkResult result = device->vk.CreateCommandPool(device->handle, &pool_info, nullptr, &pool);
  if (auto ok = device->check(result, "vkCreateCommandPool"); !ok) return ok;
  auto info = vk_struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  result = device->vk.AllocateCommandBuffers(device->handle, &info, &handle);
  if (auto ok = device->check(result, "vkAllocateCommandBuffers"); !ok) return ok;
  device->set_name(VK_OBJECT_TYPE_COMMAND_BUFFER, handle, name);
  return begin();
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
  bound_ranges.clear();
  bound_sets.clear();
  incoherent_buffers.clear();
  timestamps.clear();
  retained_.clear();
  kept_alive_.clear();
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
  memory_barrier(*this, kWork, kReads | kWrites);
  hazards_.clear();
}

void CommandsState::order(std::span<const HazardTracker::Access> accesses) {
  if (barriers == Barriers::manual) return;
  const bool conflict = std::any_of(accesses.begin(), accesses.end(),
                                    [&](const auto& access) { return hazards_.conflicts(access); });
  if (conflict) record_barrier();
  for (const HazardTracker::Access& access : accesses) hazards_.add(access);
}

void CommandsState::retain(const std::shared_ptr<const void>& object) {
  if (retained_.insert(object.get()).second) kept_alive_.push_back(object);
}

void CommandsState::retain(BufferState& buffer) {
  if (!retained_.insert(&buffer).second) return;
  kept_alive_.push_back(buffer.shared_from_this());
  if (!buffer.coherent && buffer.mapped != nullptr) incoherent_buffers.push_back(buffer.shared_from_this());
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
  return state_->keep([&]() -> Status {
    if (auto ok = state_->recordable(); !ok) return ok;
    state_->record_barrier();
    return {};
  }());
}

Status Commands::write_timestamp(const Timestamps& timestamps, std::uint32_t index) {
  return state_->keep([&]() -> Status {
    if (auto ok = state_->recordable(); !ok) return ok;
    const auto& target = timestamps.state();
    if (target->device != state_->device)
      return detail::fail(ErrorCode::invalid_argument, "timestamps of another device");
    if (index >= target->count) {
      return detail::fail(ErrorCode::invalid_argument, "timestamp " + std::to_string(index) + ": there are " +
                                                           std::to_string(target->count));
    }
    state_->retain(target);
    state_->timestamps.emplace_back(target, index);
    const auto& vk = state_->device->vk;
    vk.CmdResetQueryPool(state_->handle, target->handle, index, 1);
    vk.CmdWriteTimestamp(state_->handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, target->handle, index);
    return {};
  }());
}

}  // namespace vkc
