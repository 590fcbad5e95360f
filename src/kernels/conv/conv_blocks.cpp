#include "kernels/conv/conv_blocks.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array kDTypes = {DType::f32, DType::f16};

bool is_plain(const Storage& storage) { return storage.arrangement == Arrangement::plain; }
bool is_image(const Storage& storage) { return storage.arrangement == Arrangement::image; }
bool has_images(const Selection& selection) {
  return is_image(selection.input) || is_image(selection.output);
}

// What lies before and behind the kernel.
std::string_view ends_of(const Selection& selection) {
  if (is_plain(selection.input) && is_plain(selection.output)) return "planes";
  if (is_plain(selection.input)) return is_image(selection.output) ? "from_planes_to_image" : "from_planes";
  if (is_plain(selection.output)) return is_image(selection.input) ? "from_image_to_planes" : "to_planes";
  return is_image(selection.output) ? "image" : "";
}

std::string variant_of(const Selection& selection, bool half_sums) {
  const std::string ends(ends_of(selection));
  if (selection.dtype != DType::f16) return ends;
  const std::string type = half_sums ? "fp16_sums" : "fp16";
  return ends.empty() ? type : type + "_" + ends;
}

bool has_tunable(const Kernel& kernel, std::string_view name) {
  return std::ranges::count(kernel.tunables(), name, &Tunable::name) > 0;
}

std::vector<Storage> storages_of(const Kernel& kernel, const TensorType& type, DType dtype) {
  std::vector<Storage> storages;
  const Storage packed{Arrangement::packed, dtype};
  if (can_store(packed, type)) {
    storages.push_back(packed);
    if (has_tunable(kernel, kStorageTunable)) storages.push_back({Arrangement::image, dtype});
  }
  storages.emplace_back();
  return storages;
}

Status check_images(std::string_view kernel, const Selection& selection, const DeviceLimits& limits) {
  if (!has_images(selection) && !keeps_images(selection.tuning)) return {};
  const bool is_half = selection.dtype == DType::f16;
  if (is_half ? limits.storage_image_fp16 : limits.storage_image_fp32) return {};
  return fail(ErrorCode::device, "kernel " + std::string(kernel) + " on images needs storage_image_" +
                                     (is_half ? "fp16" : "fp32") + ", which the device lacks");
}

Status check_dtype(std::string_view kernel, DType dtype, const DeviceLimits& limits) {
  if (dtype != DType::f16 || (limits.fp16_storage && limits.fp16_arithmetic)) return {};
  return fail(ErrorCode::device, "kernel " + std::string(kernel) +
                                     " in fp16 needs 16-bit storage and arithmetic, which the device lacks");
}

// Weights in the order in which the kernels read them.
class WeightPacker {
 public:
  WeightPacker(const graph::Conv& conv, DType dtype) : conv_(conv), dtype_(dtype) {}

  [[nodiscard]] std::vector<std::byte> run() const {
    std::vector<std::byte> bytes;
    for (uint32_t out_block = 0; out_block < block_count(conv_.out_channels); ++out_block) {
      for (uint32_t in_block = 0; in_block < block_count(conv_.in_channels); ++in_block) {
        for (int kx = 0; kx < conv_.kernel_width; ++kx) {
          for (int ky = 0; ky < conv_.kernel_height; ++ky) append_tap(bytes, out_block, in_block, kx, ky);
        }
      }
    }
    return bytes;
  }

 private:
  void append_tap(std::vector<std::byte>& bytes, uint32_t out_block, uint32_t in_block, int kx,
                  int ky) const {
    const auto channel = [](uint32_t block, uint32_t i) {
      return static_cast<int>(block * kBlockChannels + i);
    };
    for (uint32_t i = 0; i < block_inputs(conv_.in_channels); ++i) {
      for (uint32_t o = 0; o < kBlockChannels; ++o)
        append_number(bytes, dtype_, weight_at(conv_, {channel(out_block, o), channel(in_block, i), ky, kx}));
    }
  }

  const graph::Conv& conv_;
  DType dtype_;
};

uint64_t packed_weights(const graph::Conv& conv) {
  const uint64_t taps = uint64_t{u32(conv.kernel_width)} * u32(conv.kernel_height);
  return uint64_t{block_count(conv.out_channels)} * kBlockChannels * block_count(conv.in_channels) *
         block_inputs(conv.in_channels) * taps;
}

// Registers of 32 bits that a thread can have at most.
uint64_t register_limit(const DeviceInfo& device) {
  constexpr uint32_t kArm = 0x13B5;
  constexpr uint32_t kQualcomm = 0x5143;
  constexpr uint64_t kArmRegisters = 64;        // Arm's guide for Bifrost and Valhall; beyond, they spill
  constexpr uint64_t kQualcommRegisters = 192;  // 48 vectors of four
  constexpr uint64_t kCommonRegisters = 255;
  if (device.vendor_id == kArm) return kArmRegisters;
  return device.vendor_id == kQualcomm ? kQualcommRegisters : kCommonRegisters;
}

}  // namespace

uint32_t tuned_value(const Kernel& kernel, std::span<const Tuning> tuning, std::string_view name) {
  const std::vector<Tuning> all = complete_tuning(kernel, tuning);
  return std::find_if(all.begin(), all.end(), [&](const Tuning& tuned) { return tuned.name == name; })->value;
}

Status check_tile_values(const Kernel& kernel, std::span<const Tuning> tuning,
                         std::span<const std::string_view> names) {
  constexpr uint32_t kMost = 64;
  for (const std::string_view name : names) {
    const uint32_t value = tuned_value(kernel, tuning, name);
    if (value >= 1 && value <= kMost) continue;
    return fail(ErrorCode::device, "kernel " + std::string(kernel.id()) + ": " + std::string(name) + " is " +
                                       std::to_string(value) + ", not 1 to " + std::to_string(kMost));
  }
  return {};
}

Status check_registers(std::string_view kernel, uint64_t vectors, const DeviceInfo& device) {
  constexpr uint64_t kBesides = 24;  // addresses, sizes, counters
  if (device.kind == "software") return {};
  const uint64_t registers = vectors * kBlockChannels + kBesides;
  if (registers <= register_limit(device)) return {};
  return fail(ErrorCode::device,
              "kernel " + std::string(kernel) + " needs about " + std::to_string(registers) +
                  " registers a thread, but the device has about " + std::to_string(register_limit(device)));
}

Status check_unrolled(std::string_view kernel, uint64_t multiply_adds) {
  constexpr uint64_t kMost = 1024;
  if (multiply_adds <= kMost) return {};
  return fail(ErrorCode::device, "kernel " + std::string(kernel) + " would be an unrolled loop of " +
                                     std::to_string(multiply_adds) +
                                     " multiply-adds on vectors, which is more than the " +
                                     std::to_string(kMost) + " that drivers compile in bearable time");
}

std::span<const DType> BlockConv::dtypes() const { return kDTypes; }

bool BlockConv::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Conv>(node.op);
}

std::vector<Storage> BlockConv::reads(const graph::Graph& graph, const graph::Node& node, DType dtype) const {
  return storages_of(*this, input_type(graph, node), dtype);
}

std::vector<Storage> BlockConv::writes(const graph::Graph& graph, const graph::Node& node,
                                       DType dtype) const {
  if (std::get<graph::Conv>(node.op).shuffle.block != 1) return {Storage{}};
  return storages_of(*this, output_type(graph, node), dtype);
}

Status BlockConv::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                        const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  if (auto status = check_dtype(id(), selection.dtype, device.limits); !status) return status;
  if (auto status = check_images(id(), selection, device.limits); !status) return status;
  const GroupSize group = tuned_group_size(*this, selection.tuning);
  const auto fits =
      check_launch_limits(id(), group, sizeof(ConvPush), block_count(conv.out_channels), device);
  if (!fits) return fits;
  return check_binding_range(id(), "weights", packed_weights(conv) * size_bytes(selection.dtype), device);
}

KernelChoice BlockConv::choose(const graph::Graph&, const graph::Node& node,
                               const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  std::vector<Constant> constants = conv_constants(conv);
  const bool half_sums = has_tunable(*this, kHalfSums) && sums_in_half(selection);
  if (is_plain(selection.output)) std::ranges::copy(shuffle_constants(conv), std::back_inserter(constants));
  return {.kernel = id(),
          .variant = variant_of(selection, half_sums),
          .constants = std::move(constants),
          .group_size = tuned_group_size(*this, selection.tuning),
          .dtype = selection.dtype,
          .input = selection.input,
          .output = selection.output};
}

std::vector<std::vector<std::byte>> BlockConv::pack_constant_data(const graph::Graph&,
                                                                  const graph::Node& node,
                                                                  const KernelChoice& choice) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {WeightPacker(conv, choice.dtype).run(), pack_biases(conv, kBlockChannels)};
}

}  // namespace upres::kernels
