// What a Sampler handle refers to.
#pragma once

#include <memory>
#include <string>

#include <vkc/sampler.h>

#include "vkc/device_state.h"

namespace vkc::detail {

// Immutable once created: any thread.
class SamplerState : public std::enable_shared_from_this<SamplerState> {
 public:
  SamplerState(std::shared_ptr<DeviceState> device, const SamplerOptions& options)
      : device(std::move(device)),
        filter(options.filter),
        address_mode(options.address_mode),
        coordinates(options.coordinates),
        name(options.name) {}
  SamplerState(const SamplerState&) = delete;
  SamplerState& operator=(const SamplerState&) = delete;
  ~SamplerState();

  Status create();
  // `sampler "bilinear"` or `a sampler`, for messages.
  [[nodiscard]] std::string described() const;

  std::shared_ptr<DeviceState> device;
  Filter filter;
  AddressMode address_mode;
  Coordinates coordinates;
  std::string name;
  VkSampler handle = VK_NULL_HANDLE;

 private:
  [[nodiscard]] Status check_options() const;
  bool counted_ = false;
};

}  // namespace vkc::detail
