#include "kernels/conv/conv_blocks.h"

#include <array>

#include "base/half.h"
#include "kernels/launch.h"

namespace upres::kernels {

namespace {

constexpr std::array kPushFields = {
    UPRES_PUSH_FIELD(ConvPush, row_begin),    UPRES_PUSH_FIELD(ConvPush, row_end),
    UPRES_PUSH_FIELD(ConvPush, in_width),     UPRES_PUSH_FIELD(ConvPush, in_height),
    UPRES_PUSH_FIELD(ConvPush, out_width),    UPRES_PUSH_FIELD(ConvPush, out_height),
    UPRES_PUSH_FIELD(ConvPush, padding_left), UPRES_PUSH_FIELD(ConvPush, padding_top)};

constexpr std::array kDTypes = {DType::f32, DType::f16};

std::string_view variant_of(const Selection& selection) {
  static constexpr std::array<std::string_view, 8> kVariants = {
      "", "from_planes", "to_planes", "planes", "fp16", "fp16_from_planes", "fp16_to_planes", "fp16_planes"};
  const size_t from = selection.input.arrangement == Arrangement::plain ? 1 : 0;
  const size_t to = selection.output.arrangement == Arrangement::plain ? 2 : 0;
  return kVariants[from + to + (selection.dtype == DType::f16 ? 4 : 0)];
}

std::vector<Storage> packed_storages(const TensorType& type, DType dtype) {
  const Storage packed{Arrangement::packed, dtype};
  return can_store(packed, type) ? std::vector{packed, Storage{}} : std::vector{Storage{}};
}

Status check_dtype(std::string_view kernel, DType dtype, const DeviceLimits& limits) {
  if (dtype != DType::f16 || (limits.fp16_storage && limits.fp16_arithmetic)) return {};
  return fail(ErrorCode::device, "kernel " + std::string(kernel) +
                                     " in fp16 needs 16-bit storage and arithmetic, which the device lacks");
}

void append(std::vector<std::byte>& bytes, DType dtype, float value) {
  const auto put = [&](const auto& number) {
    const auto raw = std::as_bytes(std::span(&number, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  if (dtype == DType::f16) {
    put(float_to_half(value));
  } else {
    put(value);
  }
}

// Weights in the order in which the kernels read them.
class WeightPacker {
 public:
  WeightPacker(const graph::Conv& conv, DType dtype)
      : conv_(conv), dtype_(dtype), taps_(static_cast<size_t>(conv.kernel_height * conv.kernel_width)) {}

  [[nodiscard]] std::vector<std::byte> run() const {
    std::vector<std::byte> bytes;
    for (size_t block = 0; block < block_count(conv_.out_channels); ++block) {
      for (size_t tap = 0; tap < taps_; ++tap) {
        for (size_t in = 0; in < in_channels(); ++in) append_block(bytes, block, tap, in);
      }
    }
    return bytes;
  }

 private:
  [[nodiscard]] size_t in_channels() const { return static_cast<size_t>(conv_.in_channels); }
  void append_block(std::vector<std::byte>& bytes, size_t block, size_t tap, size_t in) const {
    for (size_t out = block * kBlockChannels; out < (block + 1) * kBlockChannels; ++out) {
      const bool is_there = out < static_cast<size_t>(conv_.out_channels);
      append(bytes, dtype_, is_there ? (*conv_.weights)[(out * in_channels() + in) * taps_ + tap] : 0.0F);
    }
  }

  const graph::Conv& conv_;
  DType dtype_;
  size_t taps_;
};

std::vector<std::byte> pack_biases(const graph::Conv& conv) {
  std::vector<std::byte> bytes;
  for (const float bias : *conv.biases) append(bytes, DType::f32, bias);
  bytes.resize(block_count(conv.out_channels) * kBlockChannels * sizeof(float));
  return bytes;
}

}  // namespace

std::span<const PushField> conv_push_fields() { return kPushFields; }

Launch conv_launch(const LaunchContext& context, const Grid& grid) {
  const auto& conv = std::get<graph::Conv>(context.node.op);
  const Extent& in = input_extent(context);
  const Extent& out = output_extent(context);
  const ConvPush push = {.row_begin = 0,
                         .row_end = grid.rows,
                         .in_width = u32(in.width_px),
                         .in_height = u32(in.height_px),
                         .out_width = u32(out.width_px),
                         .out_height = u32(out.height_px),
                         .padding_left = conv.padding.left,
                         .padding_top = conv.padding.top};
  return {.grid = grid, .push = push_bytes(push)};
}

bool BlockConv::computes(const graph::Graph&, const graph::Node& node) const {
  return std::holds_alternative<graph::Conv>(node.op);
}

std::span<const DType> BlockConv::dtypes() const { return kDTypes; }

std::vector<Storage> BlockConv::reads(const graph::Graph& graph, const graph::Node& node, DType dtype) const {
  return packed_storages(input_type(graph, node), dtype);
}

std::vector<Storage> BlockConv::writes(const graph::Graph& graph, const graph::Node& node,
                                       DType dtype) const {
  return packed_storages(output_type(graph, node), dtype);
}

Status BlockConv::legal(const graph::Graph&, const graph::Node& node, const DeviceInfo& device,
                        const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  if (auto status = check_dtype(id(), selection.dtype, device.limits); !status) return status;
  const GroupSize group = tuned_group_size(*this, selection.tuning);
  const auto fits =
      check_launch_limits(id(), group, sizeof(ConvPush), block_count(conv.out_channels), device);
  if (!fits) return fits;
  const uint64_t weights = uint64_t{block_count(conv.out_channels)} * kBlockChannels *
                           (conv.weights->size() / static_cast<uint64_t>(conv.out_channels));
  return check_binding_range(id(), "weights", weights * size_bytes(selection.dtype), device);
}

KernelChoice BlockConv::choose(const graph::Graph&, const graph::Node& node,
                               const Selection& selection) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {.kernel = id(),
          .variant = std::string(variant_of(selection)),
          .constants = {{"kernel_size_x", u32(conv.kernel_width)},
                        {"kernel_size_y", u32(conv.kernel_height)},
                        {"in_channels", u32(conv.in_channels)},
                        {"out_channels", u32(conv.out_channels)},
                        {"apply_relu", conv.apply_relu}},
          .group_size = tuned_group_size(*this, selection.tuning),
          .dtype = selection.dtype,
          .input = selection.input,
          .output = selection.output};
}

BindingNames BlockConv::bindings(const graph::Graph&, const graph::Node&) const {
  return {.inputs = {"input"}, .outputs = {"output"}, .constant_data = {"weights", "biases"}};
}

std::vector<std::vector<std::byte>> BlockConv::pack_constant_data(const graph::Graph&,
                                                                  const graph::Node& node,
                                                                  const KernelChoice& choice) const {
  const auto& conv = std::get<graph::Conv>(node.op);
  return {WeightPacker(conv, choice.dtype).run(), pack_biases(conv)};
}

std::span<const PushField> BlockConv::push_fields() const { return conv_push_fields(); }

}  // namespace upres::kernels
