#include <vkc/sampler.h>

#include "vkc/sampler_state.h"

namespace vkc {
namespace detail {
namespace {

VkSamplerAddressMode vk_mode(AddressMode mode) {
  switch (mode) {
    case AddressMode::clamp_to_edge:
      return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    case AddressMode::repeat:
      return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    case AddressMode::mirrored_repeat:
      return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    case AddressMode::clamp_to_zero:
      break;
  }
  return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
}

}  // namespace

Status SamplerState::check_options() const {
  const std::string doing = "creating " + described();
  if (auto ok = check_enumerator(doing, "filter", filter, Filter::linear, "Filter"); !ok) return ok;
  if (auto ok =
          check_enumerator(doing, "address_mode", address_mode, AddressMode::clamp_to_zero, "AddressMode");
      !ok)
    return ok;
  if (auto ok = check_enumerator(doing, "coordinates", coordinates, Coordinates::texels, "Coordinates"); !ok)
    return ok;
  const bool clamps =
      address_mode == AddressMode::clamp_to_edge || address_mode == AddressMode::clamp_to_zero;
  if (coordinates != Coordinates::texels || clamps) return {};
  return fail(ErrorCode::invalid_argument,
              described() + ": coordinates in texels need the address mode clamp_to_edge or clamp_to_zero");
}

SamplerState::~SamplerState() {
  device->vk.DestroySampler(device->handle, handle, nullptr);
  if (counted_) device->samplers.give_back();
}

std::string SamplerState::described() const {
  return name.empty() ? "a sampler" : "sampler " + in_quotes(name);
}

Status SamplerState::create() {
  if (auto ok = device->alive(); !ok) return ok;
  if (auto ok = check_options(); !ok) return ok;
  if (auto ok = device->samplers.take(described()); !ok) return ok;
  counted_ = true;
  auto info = vk_struct<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.magFilter = filter == Filter::linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.minFilter = info.magFilter;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = info.addressModeV = info.addressModeW = vk_mode(address_mode);
  info.borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  info.unnormalizedCoordinates = coordinates == Coordinates::texels ? VK_TRUE : VK_FALSE;
  const VkResult result = device->vk.CreateSampler(device->handle, &info, nullptr, &handle);
  if (auto ok = device->check(result, "creating " + described()); !ok) return ok;
  device->set_name(VK_OBJECT_TYPE_SAMPLER, handle, name);
  return {};
}

}  // namespace detail

Result<Sampler> Sampler::create(const Device& device, const SamplerOptions& options) {
  auto state = std::make_shared<detail::SamplerState>(device.state(), options);
  if (auto created = state->create(); !created) return detail::propagate(created);
  return Sampler(std::move(state));
}

Filter Sampler::filter() const { return state_->filter; }
AddressMode Sampler::address_mode() const { return state_->address_mode; }
Coordinates Sampler::coordinates() const { return state_->coordinates; }

}  // namespace vkc
