#include "vkc/recent_bindings.h"

namespace vkc::detail {
namespace {

std::uint64_t bits(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

std::uint64_t hash_of(const KernelState* kernel, std::span<const Binding> bindings) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::uint64_t hash = bits(kernel);
  for (const Binding& binding : bindings) {
    const Resource& resource = binding.resource;
    const BufferRange& range = resource.buffer_range();
    hash = (hash ^ bits(range.state()) ^ bits(resource.image()) ^ bits(resource.sampler())) * kFactor;
    hash ^= range.offset_bytes() ^ range.size_bytes() << 32;
  }
  return hash * kFactor >> 32;
}

}  // namespace

RecentBindings::Found RecentBindings::find(const KernelState* kernel, std::span<const Binding> bindings) {
  const std::size_t pair = hash_of(kernel, bindings) % (kPlaces / 2) * 2;
  for (std::size_t i = 0; i < 2; ++i) {
    if (places_[pair + i].are(kernel, bindings)) return {places_[pair + i], true};
  }
  next_victim_ = 1 - next_victim_;
  return {places_[pair + next_victim_], false};
}

void RecentBindings::clear() {
  for (CheckedBindings& place : places_) place.kernel = nullptr;
}

}  // namespace vkc::detail
