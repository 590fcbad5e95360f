#include <algorithm>
#include <array>

#include "kernels/conv/conv_columns.h"
#include "kernels/conv/conv_matrix.h"
#include "kernels/conv/conv_naive.h"
#include "kernels/conv/conv_packed.h"
#include "kernels/conv/conv_pair.h"
#include "kernels/conv/conv_register.h"
#include "kernels/conv/conv_rows.h"
#include "kernels/conv/conv_tile.h"
#include "kernels/conv/conv_winograd.h"
#include "kernels/elementwise/clip.h"
#include "kernels/kernel.h"
#include "kernels/pixels/decode.h"
#include "kernels/pixels/depth_to_space.h"
#include "kernels/pixels/encode.h"
#include "kernels/pixels/store.h"
#include "kernels/resize/resample.h"

namespace upres::kernels {

namespace {

constinit const ConvColumns kConvColumns;
constinit const ConvMatrix kConvMatrix;
constinit const ConvNaive kConvNaive;
constinit const ConvPacked kConvPacked;
constinit const ConvPair kConvPair;
constinit const ConvRegister kConvRegister;
constinit const ConvRows kConvRows;
constinit const ConvTile kConvTile;
constinit const ConvWinograd kConvWinograd;
constinit const Clip kClip;
constinit const DepthToSpace kDepthToSpace;
constinit const Encode kEncode;
constinit const Decode kDecode;
constinit const Resample kResample;
constinit const Store kStore;

// Without a number of its own: one that is left out would be null.
constinit const std::array kKernels = std::to_array<const Kernel*>(
    {&kEncode, &kConvPair, &kConvRows, &kConvColumns, &kConvMatrix, &kConvRegister, &kConvWinograd,
     &kConvTile, &kConvPacked, &kConvNaive, &kClip, &kDepthToSpace, &kDecode, &kResample, &kStore});

constexpr size_t kPixelsPerWordGroup = 4;  // rows of pixels are padded to this, see LaunchTensor

std::span<const uint32_t> tried_values(const Tunable& tunable) {
  return tunable.tuned_by == TunedBy::hand ? tunable.values.first(1) : tunable.values;
}

bool has_value(std::span<const Tuning> tuning, std::string_view name, uint32_t value) {
  return std::ranges::any_of(tuning,
                             [&](const Tuning& tuned) { return tuned.name == name && tuned.value == value; });
}

bool are_mixed(const Storage& a, const Storage& b) {
  return a.arrangement == Arrangement::image && b.arrangement == Arrangement::packed;
}

}  // namespace

std::span<const Kernel* const> all_kernels() { return kKernels; }

const Kernel* find_kernel(std::string_view id) {
  const auto found = std::ranges::find(kKernels, id, [](const Kernel* kernel) { return kernel->id(); });
  return found == kKernels.end() ? nullptr : *found;
}

std::span<const DType> Kernel::dtypes() const {
  static constexpr std::array kOnlyFloat = {DType::f32};
  return kOnlyFloat;
}
GroupSize Kernel::tile(std::span<const Tuning> tuning) const {
  return group_size_of(complete_tuning(*this, tuning));
}
std::vector<Storage> Kernel::reads(const graph::Graph&, const graph::Node&, DType) const {
  return std::vector<Storage>(1);
}
std::vector<Storage> Kernel::writes(const graph::Graph&, const graph::Node&, DType) const {
  return std::vector<Storage>(1);
}

uint32_t KernelChoice::constant(std::string_view name) const {
  const auto found = std::ranges::find(constants, name, &Constant::name);
  return std::get<uint32_t>(found->value);
}

std::string module_name(const KernelChoice& choice) {
  std::string name(choice.kernel);
  if (!choice.variant.empty()) name.append("_").append(choice.variant);
  return name;
}

bool has_dtype(const Kernel& kernel, DType dtype) { return std::ranges::count(kernel.dtypes(), dtype) > 0; }

size_t combination_count(const Kernel& kernel) {
  size_t count = 1;
  for (const Tunable& tunable : kernel.tunables()) count *= tried_values(tunable).size();
  return count;
}

std::vector<Tuning> combination(const Kernel& kernel, size_t index) {
  std::vector<Tuning> tuning;
  for (const Tunable& tunable : kernel.tunables()) {
    const auto values = tried_values(tunable);
    tuning.push_back({std::string(tunable.name), values[index % values.size()]});
    index /= values.size();
  }
  return tuning;
}

bool sums_in_half(const Selection& selection) {
  return selection.dtype == DType::f16 && has_value(selection.tuning, kHalfSums, 1);
}

bool keeps_images(std::span<const Tuning> tuning) { return has_value(tuning, kStorageTunable, kInImages); }

std::vector<Storage> usable_storages(std::vector<Storage> all, std::span<const Tuning> tuning) {
  const Arrangement other = keeps_images(tuning) ? Arrangement::packed : Arrangement::image;
  std::erase_if(all, [&](const Storage& storage) { return storage.arrangement == other; });
  return all;
}

Storage tuned_storage(Storage storage, std::span<const Tuning> tuning) {
  if (storage.arrangement == Arrangement::packed && keeps_images(tuning))
    storage.arrangement = Arrangement::image;
  return storage;
}

std::vector<Selection> all_selections(const Kernel& kernel, const graph::Graph& graph,
                                      const graph::Node& node) {
  std::vector<Selection> selections;
  for (const DType dtype : kernel.dtypes()) {
    for (const Storage& input : kernel.reads(graph, node, dtype)) {
      for (const Storage& output : kernel.writes(graph, node, dtype)) {
        if (!are_mixed(input, output) && !are_mixed(output, input))
          selections.push_back({{}, dtype, input, output});
      }
    }
  }
  return selections;
}

std::string shape_text(const graph::Node& node, DType dtype) {
  std::string text;
  for (const graph::Conv* conv : graph::convolutions(node.op)) {
    text += (text.empty() ? "" : ", ") + std::to_string(conv->in_channels) + "->" +
            std::to_string(conv->out_channels) + " " + std::to_string(conv->kernel_width) + "x" +
            std::to_string(conv->kernel_height);
  }
  if (text.empty()) return {};
  return text + (dtype == DType::f16 ? " fp16" : " fp32");
}

std::vector<Tuning> complete_tuning(const Kernel& kernel, std::span<const Tuning> tuning) {
  std::vector<Tuning> complete;
  for (const Tunable& tunable : kernel.tunables()) {
    const auto given = std::ranges::find(tuning, tunable.name, &Tuning::name);
    complete.push_back(
        {std::string(tunable.name), given == tuning.end() ? tunable.values.front() : given->value});
  }
  return complete;
}

GroupSize group_size_of(std::span<const Tuning> tuning) {
  GroupSize size;
  for (const Tuning& tuned : tuning) {
    if (tuned.name == "group_size_x") size.x = tuned.value;
    if (tuned.name == "group_size_y") size.y = tuned.value;
    if (tuned.name == "group_size_z") size.z = tuned.value;
  }
  return size;
}

size_t device_row_bytes(const TensorType& type, const Extent& extent) {
  if (type.layout != Layout::interleaved) return row_bytes(type, extent);
  const size_t padded_px = (static_cast<size_t>(extent.width_px) + kPixelsPerWordGroup - 1) /
                           kPixelsPerWordGroup * kPixelsPerWordGroup;
  return padded_px * static_cast<size_t>(type.channels) * size_bytes(type.dtype);
}

size_t device_bytes(const TensorType& type, const Extent& extent) {
  const size_t planes = type.layout == Layout::planar ? static_cast<size_t>(type.channels) : 1;
  return planes * static_cast<size_t>(extent.height_px) * device_row_bytes(type, extent);
}

}  // namespace upres::kernels
