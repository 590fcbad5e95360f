// What a Kernel handle refers to.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vkc/kernel.h>

#include "spirv/reflect.h"
#include "vkc/device_state.h"

namespace vkc::detail {

// One binding of the kernel.
struct KernelSlot {
  std::string name;
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  bool written = true;
};

// Immutable once created: any thread.
class KernelState {
 public:
  explicit KernelState(std::shared_ptr<DeviceState> device) : device(std::move(device)) {}
  KernelState(const KernelState&) = delete;
  KernelState& operator=(const KernelState&) = delete;
  ~KernelState();

  // words: the frozen module that `reflection` describes.
  Status create(const spirv::Reflection& reflection, std::span<const std::uint32_t> words,
                const KernelOptions& options);

  // Index of the slot with that name; empty if there is none.
  [[nodiscard]] std::optional<std::size_t> find_slot(std::string_view name) const;
  [[nodiscard]] bool is_dropped(std::string_view name) const;

  std::shared_ptr<DeviceState> device;
  std::string name;
  KernelGroupSize group_size;
  std::uint32_t shared_memory_bytes = 0;
  std::uint32_t push_constants_bytes = 0;
  std::vector<KernelSlot> slots;           // in order of set, then binding
  std::vector<std::string> dropped_names;  // bindings declared by the source, but not in the module
  std::vector<VkDescriptorSetLayout> set_layouts;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

 private:
  Status create_set_layouts();
  Status create_layout();
  Status create_pipeline(const std::string& entry_point, std::span<const std::uint32_t> words,
                         const KernelOptions& options);
};

}  // namespace vkc::detail
