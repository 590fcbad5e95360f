#include <algorithm>
#include <array>

#include "vkc/bindings.h"
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
    if (!commands_.is_recordable()) return commands_.recordable();
    if (kernel_.device != commands_.device) return error("the commands are of another device");
    if (commands_.wanted_queue == Queue::transfer)
      return error("the commands are for the transfer queue, which runs no kernels");
    if (!are_within_limits(groups)) return check_groups(groups);
    if (!fits(push)) return wrong_push(push);
    if (commands_.bound != nullptr && commands_.bound->are(&kernel_, bindings)) {
      record(groups, *commands_.bound, push);
      return {};
    }
    const auto [checked, known] = commands_.recent.find(&kernel_, bindings);
    if (!known) {
      if (auto ok = check(bindings, checked); !ok) return ok;
    }
    record(groups, checked, push);
    return {};
  }

 private:
  void record(const GroupCount& groups, const CheckedBindings& checked, std::span<const std::byte> push) {
    if (groups.x == 0 || groups.y == 0 || groups.z == 0) return;
    bind(checked);
    for (ImageState* image : checked.images) commands_.require_layout(*image, image->home);
    commands_.order(checked.accesses);
    push_constants(push);
    commands_.device->vk.CmdDispatch(commands_.handle, groups.x, groups.y, groups.z);
  }

  [[nodiscard]] std::string described() const { return "kernel " + in_quotes(kernel_.name); }
  [[nodiscard]] tl::unexpected<Error> error(const std::string& what) const {
    return fail(ErrorCode::invalid_argument, described() + ": " + what);
  }

  [[nodiscard]] bool are_within_limits(const GroupCount& groups) const {
    const auto& most = limits_.max_group_count;
    return groups.x <= most[0] && groups.y <= most[1] && groups.z <= most[2];
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
  [[nodiscard]] bool fits(std::span<const std::byte> push) const {
    constexpr std::size_t kLargestAlignment = 16;
    const std::size_t size = kernel_.push_constants_bytes;
    const std::size_t padded = (size + kLargestAlignment - 1) / kLargestAlignment * kLargestAlignment;
    return push.size() >= size && push.size() <= padded;
  }
  [[nodiscard]] Status wrong_push(std::span<const std::byte> push) const {
    return error(std::to_string(push.size()) + " bytes of push constants are given, its block has " +
                 std::to_string(kernel_.push_constants_bytes));
  }

  Status resolve(std::span<const Binding> bindings, CheckedBindings& checked);
  // The common case, without the text of an error.
  [[nodiscard]] bool is_fitting_buffer(const KernelSlot& slot, const Resource& resource) const {
    const BufferRange& range = resource.buffer_range();
    const BufferState* buffer = range.state();
    return buffer != nullptr && buffer->device.get() == kernel_.device.get() &&
           range.size_bytes() >= slot.least_range_bytes && range.size_bytes() <= slot.largest_range_bytes &&
           range.offset_bytes() <= buffer->size_bytes &&
           range.size_bytes() <= buffer->size_bytes - range.offset_bytes() &&
           (range.offset_bytes() & slot.offset_mask) == 0;
  }
  static bool is_given(const CheckedBindings& checked, std::string_view name) {
    return std::any_of(checked.given.begin(), checked.given.end(),
                       [&](const Binding& given) { return given.name == name; });
  }
  [[nodiscard]] Status given_twice(std::string_view name) const {
    return error("binding " + in_quotes(name) + " is given twice");
  }
  [[nodiscard]] Status unknown_binding(std::string_view name) const;
  [[nodiscard]] Status missing_bindings() const;
  [[nodiscard]] Status check_pairs() const;
  Status check(std::span<const Binding> bindings, CheckedBindings& checked);
  void describe_wanted(std::vector<Descriptor>& wanted) const;
  Status fill_sets(CheckedBindings& checked);
  void note_accesses(CheckedBindings& checked) const;
  void retain() const;
  void bind(const CheckedBindings& checked);
  void push_constants(std::span<const std::byte> push) const;

  CommandsState& commands_;
  const std::shared_ptr<const KernelState>& shared_kernel_;
  const KernelState& kernel_;
  const DeviceLimits& limits_;
};

Status Dispatch::unknown_binding(std::string_view name) const {
  std::vector<std::string> names = kernel_.dropped_names;
  for (const KernelSlot& known : kernel_.slots) names.push_back(known.name);
  return error("there is no binding " + in_quotes(name) + "; there are: " + quoted_list(names));
}

Status Dispatch::missing_bindings() const {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < kernel_.slots.size(); ++i) {
    if (commands_.resources[i] == nullptr) missing.push_back(kernel_.slots[i].name);
  }
  return error("nothing is bound to " + quoted_list(missing));
}

// Fills commands_.resources, one per slot, and checked.given.
Status Dispatch::resolve(std::span<const Binding> bindings, CheckedBindings& checked) {
  auto& resources = commands_.resources;
  resources.assign(kernel_.slots.size(), nullptr);
  std::size_t bound = 0;
  for (const Binding& binding : bindings) {
    const auto slot = kernel_.find_slot(binding.name, bound);
    if (!slot) {
      const std::string* dropped = kernel_.find_dropped(binding.name);
      if (dropped == nullptr) return unknown_binding(binding.name);
      if (is_given(checked, *dropped)) return given_twice(binding.name);
      checked.given.push_back({*dropped, binding.resource});
      continue;
    }
    if (resources[*slot] != nullptr) return given_twice(binding.name);
    if (!is_fitting_buffer(kernel_.slots[*slot], binding.resource)) {
      if (auto ok = check_binding(kernel_, kernel_.slots[*slot], binding.resource); !ok) return ok;
    }
    resources[*slot] = &binding.resource;
    checked.given.push_back({kernel_.slots[*slot].name, binding.resource});
    ++bound;
  }
  return bound == kernel_.slots.size() ? Status() : missing_bindings();
}

Status Dispatch::check_pairs() const {
  for (const spirv::SampledPair& pair : kernel_.sampled_pairs) {
    const ImageState& image = *commands_.resources[pair.image]->image();
    const SamplerState& sampler = *commands_.resources[pair.sampler]->sampler();
    if (auto ok = check_sampled(kernel_, kernel_.slots[pair.image].name, image, sampler); !ok) return ok;
  }
  return {};
}

// One descriptor per slot.
void Dispatch::describe_wanted(std::vector<Descriptor>& wanted) const {
  wanted.assign(kernel_.slots.size(), Descriptor());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Resource& resource = *commands_.resources[i];
    if (const BufferState* buffer = resource.buffer_range().state()) {
      wanted[i].buffer = {buffer->handle, resource.buffer_range().offset_bytes(),
                          resource.buffer_range().size_bytes()};
      continue;
    }
    if (const ImageState* image = resource.image()) {
      wanted[i].image.imageView = image->view;
      wanted[i].image.imageLayout = image->home;
    }
    if (const SamplerState* sampler = resource.sampler()) wanted[i].image.sampler = sampler->handle;
  }
}

// The long way: bindings that were not seen lately.
Status Dispatch::check(std::span<const Binding> bindings, CheckedBindings& checked) {
  if (commands_.bound == &checked) commands_.bound = nullptr;
  checked.kernel = nullptr;  // until it is whole
  checked.given.clear();
  if (auto ok = resolve(bindings, checked); !ok) return ok;
  if (auto ok = check_pairs(); !ok) return ok;
  if (auto ok = fill_sets(checked); !ok) return ok;
  note_accesses(checked);
  retain();
  checked.kernel = &kernel_;
  return {};
}

// Pipeline and descriptor sets, as far as they differ from those of the dispatch before.
void Dispatch::bind(const CheckedBindings& checked) {
  if (commands_.bound == &checked) return;
  const DeviceFunctions& vk = commands_.device->vk;
  if (commands_.bound_kernel != &kernel_)
    vk.CmdBindPipeline(commands_.handle, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.pipeline);
  if (kernel_.pushes_descriptors) {
    vk.CmdPushDescriptorSetWithTemplateKHR(commands_.handle, kernel_.set_templates[0], kernel_.layout, 0,
                                           checked.descriptors.data());
  } else if (!checked.sets.empty()) {
    vk.CmdBindDescriptorSets(commands_.handle, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout, 0,
                             static_cast<std::uint32_t>(checked.sets.size()), checked.sets.data(), 0,
                             nullptr);
  }
  commands_.bound = &checked;
  commands_.bound_kernel = &kernel_;
}

void Dispatch::retain() const {
  commands_.retain(shared_kernel_);
  for (const Resource* resource : commands_.resources) {
    if (BufferState* buffer = resource->buffer_range().state()) commands_.retain(*buffer);
    if (ImageState* image = resource->image()) commands_.retain(*image);
    if (SamplerState* sampler = resource->sampler()) commands_.retain(*sampler);
  }
}

Status Dispatch::fill_sets(CheckedBindings& checked) {
  describe_wanted(checked.descriptors);
  checked.sets.clear();
  if (kernel_.pushes_descriptors) return {};
  const auto count = static_cast<std::uint32_t>(kernel_.slots.size());
  if (auto ok = commands_.descriptors.allocate(kernel_.set_layouts, count, checked.sets); !ok) return ok;
  const DeviceState& device = *commands_.device;
  for (std::size_t set = 0; set < checked.sets.size(); ++set) {
    if (kernel_.set_templates[set] == VK_NULL_HANDLE) continue;  // an empty set
    device.vk.UpdateDescriptorSetWithTemplate(device.handle, checked.sets[set], kernel_.set_templates[set],
                                              checked.descriptors.data());
  }
  return {};
}

void Dispatch::note_accesses(CheckedBindings& checked) const {
  checked.accesses.clear();
  checked.images.clear();
  for (std::size_t i = 0; i < kernel_.slots.size(); ++i) {
    const BufferRange& range = commands_.resources[i]->buffer_range();
    const bool written = kernel_.slots[i].written;
    if (ImageState* image = commands_.resources[i]->image()) {
      checked.images.push_back(image);
      checked.accesses.push_back({image, 0, 1, written});
    } else if (range.state() != nullptr) {
      checked.accesses.push_back(
          {range.state(), range.offset_bytes(), range.offset_bytes() + range.size_bytes(), written});
    }
  }
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
  Status recorded = detail::Dispatch(state, state_).record(groups, bindings.span(), push.bytes());
  return recorded ? recorded : state.keep(std::move(recorded));
}

}  // namespace vkc
