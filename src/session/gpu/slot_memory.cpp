#include "session/gpu/slot_memory.h"

#include <array>
#include <string>

#include "plan/memory.h"
#include "session/gpu/vkc_error.h"

namespace upres::session {
namespace {

constexpr uint32_t kQuietNan = 0x7fc00000;
// Fills count in words.
constexpr uint64_t kWordBytes = 4;

uint64_t whole_words(uint64_t bytes) { return plan::align_up(bytes, kWordBytes); }

bool shares_memory(const vkc::Device& device) {
  const vkc::DeviceType type = device.properties().type;
  return type == vkc::DeviceType::integrated || type == vkc::DeviceType::software;
}

void poison_all(vkc::Commands& commands, const std::optional<vkc::Buffer>& buffer) {
  if (buffer) (void)commands.fill(*buffer, kQuietNan);
}

}  // namespace

SlotMemory::SlotMemory(const vkc::Device& device, bool always_copy)
    : device_(device), shared_memory_(!always_copy && shares_memory(device)) {}

Status SlotMemory::reserve(std::optional<vkc::Buffer>& buffer, uint64_t size_bytes, vkc::MemoryKind kind,
                           std::string_view name) {
  if (size_bytes == 0 || (buffer && buffer->size_bytes() >= size_bytes)) return {};
  buffer.reset();
  auto made = vkc::Buffer::create(device_, whole_words(size_bytes), kind, name);
  if (!made) return device_error(made.error(), "making memory for a window's " + std::string(name));
  buffer = std::move(*made);
  return {};
}

Status SlotMemory::reserve(const plan::Plan& plan) {
  using Kind = vkc::MemoryKind;
  const uint64_t staged_input = shared_memory_ ? 0 : plan.input_bytes;
  const uint64_t staged_output = shared_memory_ ? 0 : plan.output_bytes;
  if (auto status = reserve(upload_, plan.input_bytes, Kind::upload, "inputs"); !status) return status;
  if (auto status = reserve(input_, staged_input, Kind::device, "inputs"); !status) return status;
  if (auto status = reserve(scratch_, plan.scratch_bytes, Kind::device, "scratch"); !status) return status;
  if (auto status = reserve(output_, staged_output, Kind::device, "outputs"); !status) return status;
  return reserve(download_, plan.output_bytes, Kind::download, "outputs");
}

uint64_t SlotMemory::size_bytes() const {
  uint64_t bytes = 0;
  for (const auto* buffer : {&upload_, &input_, &scratch_, &output_, &download_}) {
    if (*buffer) bytes += (*buffer)->size_bytes();
  }
  return bytes;
}

std::span<std::byte> SlotMemory::host_input() const {
  return upload_ ? upload_->mapped() : std::span<std::byte>();
}

std::span<const std::byte> SlotMemory::host_output() const {
  return download_ ? download_->mapped() : std::span<std::byte>();
}

vkc::BufferRange SlotMemory::range(const plan::Resource& resource) const {
  const auto of = [&](const vkc::Buffer& buffer) {
    return buffer.range(resource.offset_bytes, resource.size_bytes);
  };
  switch (resource.kind) {
    case plan::ResourceKind::scratch:
      return of(*scratch_);
    case plan::ResourceKind::output:
      return of(shared_memory_ ? *download_ : *output_);
    default:
      return of(shared_memory_ ? *upload_ : *input_);
  }
}

void SlotMemory::record_begin(vkc::Commands& commands, const plan::Plan& plan, bool poison) const {
  // Commands keeps the first error and submit() returns it.
  (void)commands.barrier();
  if (input_) (void)commands.copy(upload_->range(0, plan.input_bytes), input_->range(0, plan.input_bytes));
  if (poison) {
    poison_all(commands, scratch_);
    poison_all(commands, shared_memory_ ? download_ : output_);
    (void)commands.barrier();
  }
  for (const plan::Resource& resource : plan.resources) {
    if (resource.zeroed) (void)commands.fill(range(resource), 0);
  }
  (void)commands.barrier();
}

void SlotMemory::record_end(vkc::Commands& commands, const plan::Plan& plan) const {
  if (!output_ || plan.output_bytes == 0) return;
  (void)commands.barrier();
  (void)commands.copy(output_->range(0, plan.output_bytes), download_->range(0, plan.output_bytes));
}

}  // namespace upres::session
