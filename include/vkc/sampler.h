// How kernels read images between and beyond their texels.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <vkc/device.h>
#include <vkc/error.h>

namespace vkc {

namespace detail {
class SamplerState;
}

enum class Filter : std::uint8_t {
  nearest,
  linear,  // needs ImageFormatSupport::linear_filter of every image that it reads
};

enum class AddressMode : std::uint8_t {
  clamp_to_edge,    // the nearest texel of the edge
  repeat,           // the image again and again
  mirrored_repeat,  // the same, every other one mirrored
  clamp_to_zero,    // 0 in every channel (transparent black)
};

enum class Coordinates : std::uint8_t {
  normalized,  // the image spans [0, 1] in each direction
  // Texels: the centre of the first is at 0.5. Only with clamp_to_edge or clamp_to_zero and 2-D images, and
  // kernels must name the level themselves (SampleLevel with 0) and give no offset.
  texels,
};

struct SamplerOptions {
  Filter filter = Filter::linear;
  AddressMode address_mode = AddressMode::clamp_to_edge;  // in every direction
  Coordinates coordinates = Coordinates::normalized;
  std::string_view name = {};  // for debug tools and errors
};

// A shared handle, immutable. Commands that use it keep it alive. Threads: any.
class Sampler {
 public:
  // Errors: invalid_argument (options that do not exist or contradict each other), limit_exceeded
  // (max_samplers alive), out_of_memory, device_lost.
  static Result<Sampler> create(const Device& device, const SamplerOptions& options = {});

  [[nodiscard]] Filter filter() const;
  [[nodiscard]] AddressMode address_mode() const;
  [[nodiscard]] Coordinates coordinates() const;

  explicit Sampler(std::shared_ptr<detail::SamplerState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::SamplerState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::SamplerState> state_;
};

}  // namespace vkc
