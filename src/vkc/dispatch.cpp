#include <algorithm>
#include <array>

#include "vkc/commands_state.h"
#include "vkc/kernel_constants.h"
#include "vkc/kernel_state.h"

namespace vkc {
namespace detail {
namespace {

// Checks and records one dispatch.
class Dispatch {
 public:
  Dispatch(CommandsState& commands, const std::shared_ptr<const KernelState>& kernel)
      : commands_(commands), shared_kernel_(kernel), kernel_(*kernel), limits_(commands.device->limits()) {}

  Status record(const GroupCount& groups, std::span<const Binding> bindings,
                std::span<const std::byte> push) {
    if (auto ok = commands_.recordable(); !ok) return ok;
    if (kernel_.device != commands_.device) return error("the commands are of another device");
    if (auto ok = check_groups(groups); !ok) return ok;
    if (auto ok = check_push(push); !ok) return ok;
    if (auto ok = resolve(bindings); !ok) return ok;
    if (groups.x == 0 || groups.y == 0 || groups.z == 0) return {};
    if (auto ok = bind(); !ok) return ok;
    const DeviceFunctions& vk = commands_.device->vk;
    order();
    push_constants(push);
    vk.CmdDispatch(commands_.handle, groups.x, groups.y, groups.z);
    return {};
  }

 private:
  [[nodiscard]] std::string described() const { return "kernel " + in_quotes(kernel_.name); }
  [[nodiscard]] tl::unexpected<Error> error(const std::string& what) const {
    return fail(ErrorCode::invalid_argument, described() + ": " + what);
  }

  [[nodiscard]] Status check_groups(const GroupCount& groups) const {
    const std::array<std::uint32_t, 3> counts = {groups.x, groups.y, groups.z};
    for (std::size_t i = 0; i < 3; ++i) {
      if (counts[i] <= limits_.max_group_count[i]) continue;
      return tl::unexpected(limit_error(described() + ": group count " + "xyz"[i], counts[i],
                                        "max_group_count[" + std::to_string(i) + "]",
                                        limits_.max_group_count[i]));
    }
    return {};
  }

  // A host struct may be padded behind its last member, up to the alignment of its largest one.
  [[nodiscard]] Status check_push(std::span<const std::byte> push) const {
    constexpr std::size_t kLargestAlignment = 16;
    const std::size_t size = kernel_.push_constants_bytes;
    const std::size_t padded = (size + kLargestAlignment - 1) / kLargestAlignment * kLargestAlignment;
    if (push.size() >= size && push.size() <= padded) return {};
    return error(std::to_string(push.size()) + " bytes of push constants are given, its block has " +
                 std::to_string(size));
  }

  Status resolve(std::span<const Binding> bindings);
  [[nodiscard]] Status check_range(const KernelSlot& slot, const BufferRange& range) const;
  [[nodiscard]] Status missing_bindings() const;
  Status bind();
  Status write_sets();
  void order() const;
  void push_constants(std::span<const std::byte> push) const;

  CommandsState& commands_;
  const std::shared_ptr<const KernelState>& shared_kernel_;
  const KernelState& kernel_;
  const DeviceLimits& limits_;
};

Status Dispatch::missing_bindings() const {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < kernel_.slots.size(); ++i) {
    if (commands_.ranges[i] == nullptr) missing.push_back(kernel_.slots[i].name);
  }
  return error("nothing is bound to " + quoted_list(missing));
}

// Fills commands_.ranges, one per slot.
Status Dispatch::resolve(std::span<const Binding> bindings) {
  auto& ranges = commands_.ranges;
  ranges.assign(kernel_.slots.size(), nullptr);
  std::size_t bound = 0;
  for (const Binding& binding : bindings) {
    const auto slot = kernel_.find_slot(binding.name);
    if (!slot) {
      if (kernel_.is_dropped(binding.name)) continue;
      std::vector<std::string> names = kernel_.dropped_names;
      for (const KernelSlot& known : kernel_.slots) names.push_back(known.name);
      return error("there is no binding " + in_quotes(binding.name) + "; there are: " + quoted_list(names));
    }
    if (ranges[*slot] != nullptr) return error("binding " + in_quotes(binding.name) + " is given twice");
    const BufferRange& range = binding.resource.buffer_range();
    if (auto ok = check_range(kernel_.slots[*slot], range); !ok) return ok;
    ranges[*slot] = &range;
    ++bound;
  }
  return bound == kernel_.slots.size() ? Status() : missing_bindings();
}

Status Dispatch::check_range(const KernelSlot& slot, const BufferRange& range) const {
  const BufferState& buffer = *range.state();
  const bool storage = slot.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const std::uint64_t largest =
      storage ? limits_.max_storage_buffer_range_bytes : limits_.max_uniform_buffer_range_bytes;
  const std::uint64_t alignment = storage ? limits_.min_storage_buffer_offset_alignment_bytes
                                          : limits_.min_uniform_buffer_offset_alignment_bytes;
  const bool inside = range.size_bytes() > 0 && range.offset_bytes() <= buffer.size_bytes &&
                      range.size_bytes() <= buffer.size_bytes - range.offset_bytes();
  if (buffer.device == commands_.device && inside && range.size_bytes() <= largest &&
      range.offset_bytes() % alignment == 0) {
    return {};  // text is made only for errors: this is done for every binding of every dispatch
  }
  const std::string what = described() + ": binding " + in_quotes(slot.name);
  if (buffer.device != commands_.device)
    return error("binding " + in_quotes(slot.name) + " is a buffer of another device");
  if (!inside) return buffer.check_range(range, what);
  if (range.size_bytes() > largest) {
    return tl::unexpected(
        limit_error(what + ": a range in bytes", range.size_bytes(),
                    storage ? "max_storage_buffer_range_bytes" : "max_uniform_buffer_range_bytes", largest));
  }
  return fail(ErrorCode::limit_exceeded, what + ": the offset of " + std::to_string(range.offset_bytes()) +
                                             " bytes is not a multiple of the device's " +
                                             (storage ? "min_storage_buffer_offset_alignment_bytes of "
                                                      : "min_uniform_buffer_offset_alignment_bytes of ") +
                                             std::to_string(alignment));
}

bool same(const VkDescriptorBufferInfo& bound, const BufferRange& range) {
  return bound.buffer == range.state()->handle && bound.offset == range.offset_bytes() &&
         bound.range == range.size_bytes();
}

// Pipeline and descriptor sets, as far as they differ from those of the dispatch before.
Status Dispatch::bind() {
  const DeviceFunctions& vk = commands_.device->vk;
  const bool same_kernel = commands_.bound_kernel == &kernel_;
  if (same_kernel &&
      std::equal(commands_.ranges.begin(), commands_.ranges.end(), commands_.bound_ranges.begin(),
                 commands_.bound_ranges.end(),
                 [](const BufferRange* range, const auto& bound) { return same(bound, *range); })) {
    return {};
  }
  commands_.bound_kernel = nullptr;  // until all of it is bound
  if (auto ok = write_sets(); !ok) return ok;
  if (!same_kernel) vk.CmdBindPipeline(commands_.handle, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.pipeline);
  if (!commands_.bound_sets.empty()) {
    vk.CmdBindDescriptorSets(commands_.handle, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout, 0,
                             static_cast<std::uint32_t>(commands_.bound_sets.size()),
                             commands_.bound_sets.data(), 0, nullptr);
  }
  commands_.retain(shared_kernel_);
  for (const BufferRange* range : commands_.ranges) commands_.retain(*range->state());
  commands_.bound_kernel = &kernel_;
  return {};
}

Status Dispatch::write_sets() {
  const auto count = static_cast<std::uint32_t>(kernel_.slots.size());
  if (auto ok = commands_.descriptors.allocate(kernel_.set_layouts, count, commands_.bound_sets); !ok)
    return ok;
  commands_.bound_ranges.resize(count);
  commands_.writes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const KernelSlot& slot = kernel_.slots[i];
    const BufferRange& range = *commands_.ranges[i];
    commands_.bound_ranges[i] = {range.state()->handle, range.offset_bytes(), range.size_bytes()};
    auto write = vk_struct<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = commands_.bound_sets[slot.set];
    write.dstBinding = slot.binding;
    write.descriptorCount = 1;
    write.descriptorType = slot.type;
    write.pBufferInfo = &commands_.bound_ranges[i];
    commands_.writes[i] = write;
  }
  commands_.device->vk.UpdateDescriptorSets(commands_.device->handle, count, commands_.writes.data(), 0,
                                            nullptr);
  return {};
}

void Dispatch::order() const {
  if (commands_.barriers == Barriers::manual) return;
  auto& accesses = commands_.accesses;
  accesses.clear();
  for (std::size_t i = 0; i < kernel_.slots.size(); ++i) {
    const BufferRange& range = *commands_.ranges[i];
    accesses.push_back({range.state(), range.offset_bytes(), range.offset_bytes() + range.size_bytes(),
                        kernel_.slots[i].written});
  }
  commands_.order(accesses);
}

void Dispatch::push_constants(std::span<const std::byte> push) const {
  const std::uint32_t size = (kernel_.push_constants_bytes + 3) / 4 * 4;
  if (size == 0) return;
  const DeviceFunctions& vk = commands_.device->vk;
  if (push.size() >= size) {
    vk.CmdPushConstants(commands_.handle, kernel_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, push.data());
    return;
  }
  std::vector<std::byte> padded(push.begin(), push.end());
  padded.resize(size);
  vk.CmdPushConstants(commands_.handle, kernel_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, padded.data());
}

}  // namespace
}  // namespace detail

Status Kernel::dispatch(Commands& commands, const GroupCount& groups, ListView<Binding> bindings,
                        const PushConstants& push) const {
  detail::CommandsState& state = *commands.state();
  return state.keep(detail::Dispatch(state, state_).record(groups, bindings.span(), push.bytes()));
}

}  // namespace vkc
