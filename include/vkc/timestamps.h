// The device's clock, written by commands.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <vkc/device.h>
#include <vkc/error.h>

namespace vkc {

namespace detail {
class TimestampsState;
}

// A fixed number of entries, each written by Commands::write_timestamp. A shared handle. Threads: read from
// any thread.
class Timestamps {
 public:
  // Errors: not_supported (the queue has no timestamps), invalid_argument (count 0), limit_exceeded (count
  // beyond 2^20), out_of_memory, device_lost.
  static Result<Timestamps> create(const Device& device, std::uint32_t count);

  [[nodiscard]] std::uint32_t count() const;
  // Milliseconds of device time from entry `first` to entry `last`, both written by finished submissions. The
  // clock may wrap around once in between. Errors: invalid_argument (no such entry, not written yet),
  // device_lost.
  [[nodiscard]] Result<double> elapsed_ms(std::uint32_t first, std::uint32_t last) const;
  // The device's clock at `count` entries from `first` on, read at once: milliseconds from a moment that is
  // arbitrary, but the same for all timestamps of a device until its clock wraps around (after
  // 2^timestamp_valid_bits ticks of timestamp_period_ns). Errors: as elapsed_ms; invalid_argument (a count of
  // 0).
  [[nodiscard]] Result<std::vector<double>> read_clock_ms(std::uint32_t first, std::uint32_t count) const;
  // All entries, as milliseconds after entry 0. Errors: as elapsed_ms.
  [[nodiscard]] Result<std::vector<double>> read_ms() const;

  explicit Timestamps(std::shared_ptr<detail::TimestampsState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::TimestampsState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::TimestampsState> state_;
};

}  // namespace vkc
