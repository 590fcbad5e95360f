#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/display_name.h"
#include "onnx/operators.h"

namespace upres::onnx {
namespace {

// Sizes beyond these make no sense for pictures, and sums of them still fit into an int.
constexpr int64_t kMaxKernel = 65536;
constexpr int64_t kMaxPadding = 65536;

struct Kernel {
  int64_t out_channels = 0;
  int64_t in_channels = 0;
  int64_t height = 0;
  int64_t width = 0;
};

Status check_steps(const NodeImport& node) {
  auto group = node.attributes.integer("group", 1);
  if (!group) return propagate(group);
  if (*group != 1) return node.unsupported(fmt::format("group {}", *group), "group 1");
  for (const std::string_view name : {"strides", "dilations"}) {
    auto steps = node.attributes.integers(name, {1, 1});
    if (!steps) return propagate(steps);
    if (*steps != std::vector<int64_t>{1, 1}) {
      return node.unsupported(fmt::format("{} {}", name, dims_text(*steps)), fmt::format("{} 1x1", name));
    }
  }
  return {};
}

tl::unexpected<Error> wrong_weights(const NodeImport& node, int index, const Dims& dims,
                                    std::string_view wanted) {
  return fail(ErrorCode::model, fmt::format("tensor {}: its shape is {}, {}",
                                            display_name(node.input_name(index)), dims_text(dims), wanted));
}

// The kernel as the weights' shape has it, which must agree with the node and its input.
Result<Kernel> read_kernel(const NodeImport& node, int64_t in_channels) {
  auto tensor = node.constant(1, "weights");
  if (!tensor) return propagate(tensor);
  const Dims dims = dims_of(**tensor);
  if (dims.size() != 4) return wrong_weights(node, 1, dims, "convolutions of pictures have 4 dimensions");
  if (*std::min_element(dims.begin(), dims.end()) < 1) return wrong_weights(node, 1, dims, "which is empty");
  if (dims[0] > kMaxChannels || dims[2] > kMaxKernel || dims[3] > kMaxKernel) {
    return wrong_weights(node, 1, dims, "which is too large");
  }
  if (dims[1] != in_channels) {
    return wrong_weights(node, 1, dims, fmt::format("but the input has {} channels", in_channels));
  }
  auto shape = node.attributes.integers("kernel_shape", {dims[2], dims[3]});
  if (!shape) return propagate(shape);
  if (*shape != std::vector<int64_t>{dims[2], dims[3]}) {
    return wrong_weights(node, 1, dims, fmt::format("but kernel_shape is {}", dims_text(*shape)));
  }
  return Kernel{dims[0], dims[1], dims[2], dims[3]};
}

Result<graph::Padding> explicit_padding(const NodeImport& node) {
  auto pads = node.attributes.integers("pads", {0, 0, 0, 0});  // top, left, bottom, right
  if (!pads) return propagate(pads);
  const bool fits = pads->size() == 4 && std::all_of(pads->begin(), pads->end(), [](int64_t pad) {
                      return pad >= 0 && pad <= kMaxPadding;
                    });
  if (!fits)
    return fail(ErrorCode::model, fmt::format("attribute pads: [{}] is no padding", fmt::join(*pads, ",")));
  const auto pad = [&](size_t i) { return static_cast<int>((*pads)[i]); };
  return graph::Padding{pad(0), pad(1), pad(2), pad(3)};
}

// Padding that keeps the size at stride 1; where it is odd the larger half goes after (upper) or before
// (lower).
graph::Padding same_padding(const Kernel& kernel, bool upper) {
  const auto smaller = [](int64_t size) { return static_cast<int>((size - 1) / 2); };
  const auto larger = [](int64_t size) { return static_cast<int>(size / 2); };
  if (upper)
    return {smaller(kernel.height), smaller(kernel.width), larger(kernel.height), larger(kernel.width)};
  return {larger(kernel.height), larger(kernel.width), smaller(kernel.height), smaller(kernel.width)};
}

Result<graph::Padding> read_padding(const NodeImport& node, const Kernel& kernel) {
  auto mode = node.attributes.text("auto_pad", "NOTSET");
  if (!mode) return propagate(mode);
  auto padding = explicit_padding(node);
  if (!padding || *mode == "NOTSET" || mode->empty()) return padding;
  if (*padding != graph::Padding{}) return fail(ErrorCode::model, "it has both pads and auto_pad");
  if (*mode == "VALID") return graph::Padding{};
  if (*mode == "SAME_UPPER" || *mode == "SAME_LOWER") return same_padding(kernel, *mode == "SAME_UPPER");
  return fail(ErrorCode::model, fmt::format("attribute auto_pad: unknown value {}", display_name(*mode)));
}

Result<graph::Weights> read_biases(const NodeImport& node, const Kernel& kernel) {
  if (!node.has_input(2)) return node.zeros(static_cast<size_t>(kernel.out_channels));
  auto tensor = node.constant(2, "biases");
  if (!tensor) return propagate(tensor);
  const Dims dims = dims_of(**tensor);
  if (dims != Dims{kernel.out_channels}) {
    return wrong_weights(node, 2, dims, fmt::format("but there are {} output channels", kernel.out_channels));
  }
  return node.floats(2, "biases");
}

int64_t output_size(int64_t input, int64_t before, int64_t after, int64_t kernel) {
  const int64_t size = input + before + after - kernel + 1;
  return input < 1 || size < 1 ? -1 : size;
}

Dims output_dims(const Dims& in, const graph::Conv& conv) {
  const graph::Padding& pad = conv.padding;
  return {in[0], conv.out_channels, output_size(in[2], pad.top, pad.bottom, conv.kernel_height),
          output_size(in[3], pad.left, pad.right, conv.kernel_width)};
}

}  // namespace

Status import_conv(NodeImport& node) {
  if (auto status = check_steps(node); !status) return status;
  auto input = node.picture(0);
  if (!input) return propagate(input);
  auto kernel = read_kernel(node, node.channels(*input));
  if (!kernel) return propagate(kernel);
  auto padding = read_padding(node, *kernel);
  if (!padding) return propagate(padding);
  auto weights = node.floats(1, "weights");
  if (!weights) return propagate(weights);
  auto biases = read_biases(node, *kernel);
  if (!biases) return propagate(biases);
  const graph::Conv conv{static_cast<int>(kernel->in_channels),
                         static_cast<int>(kernel->out_channels),
                         static_cast<int>(kernel->height),
                         static_cast<int>(kernel->width),
                         *padding,
                         false,
                         *weights,
                         *biases};
  return node.emit(conv, input->id, output_dims(input->dims, conv), kernel->out_channels);
}

}  // namespace upres::onnx
