#include "graph/extents.h"

#include <fmt/format.h>

#include <limits>

#include "graph/names.h"

namespace upres::graph {
namespace {

// Extents before they are known to fit into Extent.
struct WideExtent {
  int64_t width = 0;
  int64_t height = 0;
};

WideExtent widen(const Extent& extent) { return {extent.width_px, extent.height_px}; }

std::string text(const WideExtent& extent) { return fmt::format("{}x{}", extent.width, extent.height); }

// One overload an operator: the extent of its outputs.
class InferNode {
 public:
  InferNode(const Node& node, std::span<const Extent> extents, const Extent& resampled)
      : node_(node), extents_(extents), resampled_(resampled) {}

  Result<WideExtent> operator()(const Conv& conv) const { return convolved(conv, input(0)); }

  Result<WideExtent> operator()(const ConvPair& pair) const {
    const auto between = convolved(pair.first, input(0));
    return between ? convolved(pair.second, *between) : between;
  }

  Result<WideExtent> operator()(const DepthToSpace& shuffle) const {
    return enlarged(input(0), shuffle.block);
  }

  Result<WideExtent> operator()(const Decode& decode) const {
    const WideExtent out = enlarged(input(0), decode.block);
    if (node_.inputs.size() < 2) return out;
    const WideExtent side = enlarged(input(1), decode.factor);
    if (side.width == out.width && side.height == out.height) return out;
    return refuse(fmt::format("the picture is {}, its side planes make {}", text(out), text(side)));
  }

  Result<WideExtent> operator()(const Resample& resample) const {
    WideExtent out = input(0);
    int64_t& axis = resample.axis == Axis::x ? out.width : out.height;
    axis = resample.axis == Axis::x ? resampled_.width_px : resampled_.height_px;
    if (axis >= 1) return out;
    return refuse("the size of the resampled window is not given");
  }

  Result<WideExtent> operator()(const Reshape&) const { return rearranged(); }
  Result<WideExtent> operator()(const Transpose&) const { return rearranged(); }

  template <typename Elementwise>
  Result<WideExtent> operator()(const Elementwise&) const {
    return input(0);
  }

 private:
  Result<WideExtent> convolved(const Conv& conv, const WideExtent& in) const {
    const Padding& pad = conv.padding;
    const WideExtent out{in.width + pad.left + pad.right - conv.kernel_width + 1,
                         in.height + pad.top + pad.bottom - conv.kernel_height + 1};
    if (out.width >= 1 && out.height >= 1) return enlarged(out, conv.shuffle.block);
    return refuse(fmt::format("input {} is smaller than the {}x{} kernel", text(in), conv.kernel_width,
                              conv.kernel_height));
  }

  WideExtent input(size_t index) const { return widen(extents_[node_.inputs[index]]); }

  static WideExtent enlarged(const WideExtent& extent, int factor) {
    return {extent.width * factor, extent.height * factor};
  }

  Result<WideExtent> rearranged() const {
    return refuse("a tensor that is no picture has no width and height");
  }

  tl::unexpected<Error> refuse(std::string_view what) const {
    return fail(ErrorCode::model, fmt::format("{}: {}", node_label(node_), what));
  }

  const Node& node_;
  std::span<const Extent> extents_;
  const Extent& resampled_;
};

uint64_t conv_flops(const Conv& conv, const WideExtent& out) {
  const auto product = [](int64_t a, int64_t b) {
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  };
  return 2 * product(out.width, out.height) * product(conv.kernel_width, conv.kernel_height) *
         product(conv.in_channels, conv.out_channels);
}

Result<Extent> narrow(const Node& node, const WideExtent& extent) {
  constexpr int64_t kLargest = std::numeric_limits<int>::max();
  if (extent.width <= kLargest && extent.height <= kLargest) {
    return Extent{static_cast<int>(extent.width), static_cast<int>(extent.height)};
  }
  return fail(ErrorCode::model,
              fmt::format("{}: an output of {} is too large", node_label(node), text(extent)));
}

Status set_inputs(const Graph& graph, std::span<const Extent> inputs, std::vector<Extent>& extents) {
  if (inputs.size() != graph.inputs().size()) {
    return fail(ErrorCode::model, fmt::format("the graph has {} inputs, sizes of {} were given",
                                              graph.inputs().size(), inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].width_px < 1 || inputs[i].height_px < 1) {
      return fail(ErrorCode::model, fmt::format("an input of {} has no pixels", text(widen(inputs[i]))));
    }
    extents[graph.inputs()[i]] = inputs[i];
  }
  return {};
}

}  // namespace

Result<std::vector<Extent>> infer_extents(const Graph& graph, std::span<const Extent> inputs,
                                          const Extent& resampled) {
  std::vector<Extent> extents(graph.values().size());
  if (auto status = set_inputs(graph, inputs, extents); !status) return propagate(status);
  for (const Node& node : graph.nodes()) {
    auto wide = std::visit(InferNode(node, extents, resampled), node.op);
    if (!wide) return propagate(wide);
    auto extent = narrow(node, *wide);
    if (!extent) return propagate(extent);
    for (const ValueId id : node.outputs) {
      extents[id] = graph.value(id).type.layout == Layout::flat ? Extent{1, 1} : *extent;
    }
  }
  return extents;
}

Extent convolved_extent(const Conv& conv, const Extent& input) {
  const Padding& pad = conv.padding;
  return {input.width_px + pad.left + pad.right - conv.kernel_width + 1,
          input.height_px + pad.top + pad.bottom - conv.kernel_height + 1};
}

uint64_t flops(const Node& node, const Extent& output) {
  uint64_t total = 0;
  WideExtent out = widen(output);
  const auto convs = convolutions(node.op);
  for (auto each = convs.rbegin(); each != convs.rend(); ++each) {
    const Conv& conv = **each;
    out.width /= conv.shuffle.block;
    out.height /= conv.shuffle.block;
    total += conv_flops(conv, out);
    out.width += conv.kernel_width - 1 - conv.padding.left - conv.padding.right;
    out.height += conv.kernel_height - 1 - conv.padding.top - conv.padding.bottom;
  }
  return total;
}

uint64_t flops(const Graph& graph, std::span<const Extent> extents) {
  uint64_t total = 0;
  for (const Node& node : graph.nodes()) total += flops(node, extents[node.outputs.front()]);
  return total;
}

}  // namespace upres::graph
