// What a Kernel handle refers to.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vkc/kernel.h>

#include "spirv/reflect.h"
#include "vkc/device_state.h"
#include "vkc/image_formats.h"

namespace vkc::detail {

// One binding of the kernel.
struct KernelSlot {
  std::string name;
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  bool written = true;
  bool grows = false;  // of buffers, see spirv::Resource
  // Of buffers, so that the common case is checked fast; everything else has no range that fits.
  std::uint64_t least_range_bytes = 1;
  std::uint64_t largest_range_bytes = 0;
  std::uint64_t offset_mask = 0;  // bits that an offset must not have: alignments are powers of two
  // Of images:
  std::uint32_t dimensions = 2;
  const FormatInfo* format = nullptr;  // null: the kernel declares none
  TexelKind texel_kind = TexelKind::floating_point;
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

  // Index of the slot with that name; empty if there is none. first: where to look first.
  [[nodiscard]] std::optional<std::size_t> find_slot(std::string_view name, std::size_t first) const;
  // The name as it is kept here, if the source declares it and the module lacks it; null otherwise.
  [[nodiscard]] const std::string* find_dropped(std::string_view name) const;

  std::shared_ptr<DeviceState> device;
  std::string name;
  KernelGroupSize group_size;
  std::uint32_t shared_memory_bytes = 0;
  std::uint32_t push_constants_bytes = 0;
  std::vector<KernelSlot> slots;                  // in order of set, then binding
  std::vector<std::string> dropped_names;         // bindings declared by the source, but not in the module
  std::vector<spirv::SampledPair> sampled_pairs;  // by index of the slots
  std::vector<VkDescriptorSetLayout> set_layouts;
  std::vector<VkDescriptorUpdateTemplate> set_templates;  // one a layout, see create_set_templates
  // Its one set is written straight into the recording, not into a set of a pool.
  bool pushes_descriptors = false;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  bool has_statistics = false;  // the driver was asked to keep them

 private:
  Status create_set_layouts();
  Status create_layout();
  Status create_set_templates();
  Status create_pipeline(const std::string& entry_point, std::span<const std::uint32_t> words,
                         const KernelOptions& options);
};

}  // namespace vkc::detail
