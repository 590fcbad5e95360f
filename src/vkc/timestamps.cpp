#include <vkc/timestamps.h>

#include <algorithm>

#include "vkc/timestamps_state.h"

namespace vkc {
namespace detail {

TimestampsState::~TimestampsState() { device->vk.DestroyQueryPool(device->handle, handle, nullptr); }

Status TimestampsState::create() {
  if (auto ok = device->alive(); !ok) return ok;
  if (count == 0) return fail(ErrorCode::invalid_argument, "timestamps: a count of 0");
  if (device->limits().timestamp_valid_bits == 0) {
    return fail(ErrorCode::not_supported,
                device->properties().name + " has no timestamps on its compute queue");
  }
  auto info = vk_struct<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  return device->check(device->vk.CreateQueryPool(device->handle, &info, nullptr, &handle),
                       "vkCreateQueryPool");
}

Status TimestampsState::check_entry(std::uint32_t index) const {
  if (index < count) return {};
  return fail(ErrorCode::invalid_argument, "timestamp " + std::to_string(index) + ": there are " +
                                               std::to_string(count) + ", counted from 0");
}

Result<std::vector<std::uint64_t>> TimestampsState::ticks(std::uint32_t first,
                                                          std::uint32_t read_count) const {
  if (auto ok = device->alive(); !ok) return propagate(ok);
  std::vector<std::uint64_t> values(read_count);
  const auto unwritten = [&](std::uint32_t index) {
    return fail(ErrorCode::invalid_argument,
                "timestamp " + std::to_string(index) + " is not written yet; wait for its submission");
  };
  for (std::uint32_t i = 0; i < read_count; ++i) {
    if (!submitted[first + i]) return unwritten(first + i);
  }
  const VkResult result = device->vk.GetQueryPoolResults(device->handle, handle, first, read_count,
                                                         values.size() * sizeof(std::uint64_t), values.data(),
                                                         sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
  if (result == VK_NOT_READY) return unwritten(first);
  if (auto ok = device->check(result, "vkGetQueryPoolResults"); !ok) return propagate(ok);
  return values;
}

Result<std::uint64_t> TimestampsState::ticks(std::uint32_t index) const {
  const auto values = ticks(index, 1);
  if (!values) return tl::unexpected(values.error());
  return values->front();
}

double TimestampsState::elapsed_ms(std::uint64_t first_ticks, std::uint64_t last_ticks) const {
  const std::uint32_t bits = device->limits().timestamp_valid_bits;
  const std::uint64_t mask = bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
  return static_cast<double>((last_ticks - first_ticks) & mask) * device->limits().timestamp_period_ns * 1e-6;
}

}  // namespace detail

namespace {

// Vulkan names no limit; beyond a million, drivers and layers run out of memory in ways of their own.
constexpr std::uint32_t kMostTimestamps = 1U << 20;

}  // namespace

Result<Timestamps> Timestamps::create(const Device& device, std::uint32_t count) {
  if (count > kMostTimestamps) {
    return detail::fail(ErrorCode::limit_exceeded, "timestamps: a count of " + std::to_string(count) +
                                                       " is more than " + std::to_string(kMostTimestamps));
  }
  auto state = std::make_shared<detail::TimestampsState>(device.state(), count);
  if (auto created = state->create(); !created) return detail::propagate(created);
  return Timestamps(std::move(state));
}

std::uint32_t Timestamps::count() const { return state_->count; }

Result<double> Timestamps::elapsed_ms(std::uint32_t first, std::uint32_t last) const {
  for (const std::uint32_t index : {first, last}) {
    if (auto ok = state_->check_entry(index); !ok) return detail::propagate(ok);
  }
  const auto from = state_->ticks(first);
  if (!from) return detail::propagate(from);
  const auto to = state_->ticks(last);
  if (!to) return detail::propagate(to);
  return state_->elapsed_ms(*from, *to);
}

Result<std::vector<double>> Timestamps::read_clock_ms(std::uint32_t first, std::uint32_t count) const {
  if (count == 0) return detail::fail(ErrorCode::invalid_argument, "timestamps: a count of 0");
  const std::uint64_t last = std::uint64_t{first} + count - 1;  // beyond 32 bits it is no entry either
  if (auto ok = state_->check_entry(static_cast<std::uint32_t>(std::min<std::uint64_t>(last, UINT32_MAX)));
      !ok)
    return detail::propagate(ok);
  const auto ticks = state_->ticks(first, count);
  if (!ticks) return detail::propagate(ticks);
  const double begin_ms =
      state_->elapsed_ms(state_->device->clock_origin_ticks(ticks->front()), ticks->front());
  std::vector<double> times;
  for (const std::uint64_t each : *ticks)
    times.push_back(begin_ms + state_->elapsed_ms(ticks->front(), each));
  return times;
}

Result<std::vector<double>> Timestamps::read_ms() const {
  std::vector<double> times;
  for (std::uint32_t i = 0; i < state_->count; ++i) {
    const auto time = elapsed_ms(0, i);
    if (!time) return detail::propagate(time);
    times.push_back(*time);
  }
  return times;
}

}  // namespace vkc
