#include "vkc/recent_bindings.h"

namespace vkc::detail {
namespace {

bool same_place(const Resource& a, const Resource& b) {
  return a.buffer_range().state() == b.buffer_range().state() &&
         a.buffer_range().offset_bytes() == b.buffer_range().offset_bytes() &&
         a.buffer_range().size_bytes() == b.buffer_range().size_bytes() && a.image() == b.image() &&
         a.sampler() == b.sampler();
}

std::uint64_t bits(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

std::uint64_t hash_of(const KernelState* kernel, std::span<const Binding> bindings) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::uint64_t hash = bits(kernel);
  for (const Binding& binding : bindings) {
    const Resource& resource = binding.resource;
    hash = (hash ^ bits(resource.buffer_range().state()) ^ bits(resource.image())) * kFactor;
    hash = (hash ^ resource.buffer_range().offset_bytes() ^ bits(resource.sampler())) * kFactor;
    hash ^= resource.buffer_range().size_bytes();
  }
  return hash * kFactor >> 32;
}

}  // namespace

bool CheckedBindings::are(const KernelState* other_kernel, std::span<const Binding> bindings) const {
  if (kernel != other_kernel || given.size() != bindings.size()) return false;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    if (!same_place(given[i].resource, bindings[i].resource) || given[i].name != bindings[i].name)
      return false;
  }
  return true;
}

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
