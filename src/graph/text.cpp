#include "graph/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/display_name.h"

namespace upres::graph {
namespace {

std::string_view word(NetworkColors colors) { return colors == NetworkColors::luma ? "luma" : "rgb"; }
std::string_view word(ShuffleMode mode) { return mode == ShuffleMode::dcr ? "dcr" : "crd"; }
std::string_view word(SideFilter filter) { return filter == SideFilter::bicubic ? "bicubic" : "bilinear"; }
std::string_view word(Axis axis) { return axis == Axis::x ? "x" : "y"; }
std::string_view word(Layout layout) {
  switch (layout) {
    case Layout::planar:
      return "planar";
    case Layout::interleaved:
      return "interleaved";
    case Layout::flat:
      return "flat";
  }
  return "?";
}

// One overload an operator: its parameters in words.
struct Describe {
  std::string operator()(const Conv& conv) const {
    const Padding& pad = conv.padding;
    const DepthToSpace& shuffle = conv.shuffle;
    return fmt::format("{}->{} {}x{} pad {},{},{},{}{}{}", conv.in_channels, conv.out_channels,
                       conv.kernel_width, conv.kernel_height, pad.top, pad.left, pad.bottom, pad.right,
                       conv.apply_relu ? " relu" : "",
                       shuffle.block == 1 ? "" : fmt::format(" {}", (*this)(shuffle)));
  }
  std::string operator()(const ConvPair& pair) const {
    return fmt::format("{}, {}", (*this)(pair.first), (*this)(pair.second));
  }
  std::string operator()(const Clip& clip) const { return fmt::format("{}..{}", clip.min, clip.max); }
  std::string operator()(const DepthToSpace& shuffle) const {
    return fmt::format("block {} {}", shuffle.block, word(shuffle.mode));
  }
  std::string operator()(const Identity&) const { return ""; }
  std::string operator()(const Reshape& reshape) const {
    return fmt::format("[{}]", fmt::join(reshape.shape, ","));
  }
  std::string operator()(const Transpose& transpose) const {
    return fmt::format("[{}]", fmt::join(transpose.permutation, ","));
  }
  std::string operator()(const Encode& encode) const { return std::string(word(encode.colors)); }
  std::string operator()(const Decode& decode) const {
    return fmt::format("{} block {} {} factor {} {}", word(decode.colors), decode.block, word(decode.mode),
                       decode.factor, word(decode.filter));
  }
  std::string operator()(const Resample& resample) const {
    return fmt::format("{} {}->{}", word(resample.axis), resample.in_total_px, resample.out_total_px);
  }
  std::string operator()(const Store&) const { return ""; }
};

std::string value_list(const Graph& graph, const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) {
    text += text.empty() ? "%" : ", %";
    text += id < graph.values().size() ? display_name(graph.value(id).name) : fmt::format("?{}", id);
  }
  return text;
}

std::string port_line(const Graph& graph, std::string_view kind, ValueId id) {
  if (id >= graph.values().size()) return fmt::format("{} %?{}\n", kind, id);
  const Value& value = graph.value(id);
  return fmt::format("{} %{}: {} {} {}\n", kind, display_name(value.name), value.type.channels,
                     name(value.type.dtype), word(value.type.layout));
}

std::string node_line(const Graph& graph, const Node& node) {
  const std::string parameters = describe(node.op);
  return fmt::format("{} = {}({}){}{}   # {}\n", value_list(graph, node.outputs), operator_name(node.op),
                     value_list(graph, node.inputs), parameters.empty() ? "" : " ", parameters,
                     display_name(node.name));
}

}  // namespace

std::string describe(const Operator& op) { return std::visit(Describe{}, op); }

std::string to_text(const Graph& graph) {
  std::string text;
  for (const ValueId id : graph.inputs()) text += port_line(graph, "input", id);
  for (const Node& node : graph.nodes()) text += node_line(graph, node);
  for (const ValueId id : graph.outputs()) text += port_line(graph, "output", id);
  return text;
}

}  // namespace upres::graph
